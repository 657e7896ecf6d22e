# zigzag: a PostgreSQL extension, built with PGXS.
#
#   make && make install          with the pg_config that is first in PATH
#   make PG_CONFIG=... install    with another server
#   scripts/test                  everything that can be tested

MODULE_big = zigzag
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
PGFILEDESC = "zigzag - several indexes walked in step, NOT IN as a join"

EXTENSION = zigzag
DATA = $(wildcard sql/zigzag--*.sql)

PG_CPPFLAGS = -I$(srcdir)/include
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# PGXS does not track headers.
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(srcdir)/include/*.h)
