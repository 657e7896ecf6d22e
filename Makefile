# zigzag: a PostgreSQL extension, built with PGXS.
#
#   make && make install          with the pg_config that is first in PATH
#   make PG_CONFIG=... install    with another server
#   make unit                     tests that need no server
#   make installcheck             tests of an installed library, as a user that
#                                 may run a server (not root)
#   make installcheck SERVER=running
#                                 the same in the server of PGHOST and PGPORT,
#                                 as a superuser of it
#   scripts/test                  all of it, from nothing

MODULE_big = zigzag
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
PGFILEDESC = "zigzag - several indexes walked in step, NOT IN as a join"

EXTENSION = zigzag
DATA = $(wildcard sql/zigzag--*.sql)

# Every file of sql/ that is no install script is a test; setup comes first.
REGRESS = setup $(filter-out setup zigzag--%,$(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))))
ISOLATION = $(sort $(patsubst specs/%.spec,%,$(wildcard specs/*.spec)))
ifeq ($(SERVER),running)
export PGOPTIONS := $(PGOPTIONS) -c session_preload_libraries=zigzag \
	-c max_parallel_workers_per_gather=0
else
REGRESS_OPTS = --temp-instance=$(CURDIR)/tmp_check \
	--temp-config=$(srcdir)/scripts/test.conf --no-locale --encoding=UTF8
ISOLATION_OPTS = --temp-instance=$(CURDIR)/tmp_check_iso \
	--temp-config=$(srcdir)/scripts/test.conf
endif
TAP_TESTS = 1

# Only what the server calls is exported, also on servers whose headers do not
# see to it (before 16).
PG_CPPFLAGS = -I$(srcdir)/include -DPGDLLEXPORT='__attribute__((visibility("default")))'
PG_CFLAGS = -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers

EXTRA_CLEAN = tmp_check tmp_check_iso results output_iso log unit_leapfrog

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# PGXS does not track headers.
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(srcdir)/include/*.h)

# What runs for each index entry gains a tenth by it; a build for debugging stays one.
ifneq ($(filter -O2,$(CFLAGS)),)
src/core/zz_leapfrog.o $(patsubst %.c,%.o,$(wildcard src/cursor/*.c)): \
	override CFLAGS += -O3 $(CFLAGS_UNROLL_LOOPS)
endif

# The core layer alone, without a server: UNIT_CFLAGS takes sanitizers.
UNIT_CFLAGS ?= -g -O1 -DUSE_ASSERT_CHECKING=1
unit_leapfrog: t/unit/unit_leapfrog.c $(wildcard src/core/*.c include/*.h)
	$(CC) $(UNIT_CFLAGS) -Wall -I$(srcdir)/include -I$(includedir_server) \
		-o $@ $(filter %.c,$^) -L$(pkglibdir) -L$(libdir) -lpgcommon -lpgport -lm

.PHONY: unit
unit: unit_leapfrog
	./unit_leapfrog
