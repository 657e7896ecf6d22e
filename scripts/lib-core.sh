# PostgreSQL's own test suites, for the scripts that run them: their source, what
# has to be built for them, and one run.  Sourced after lib.sh by a script that has
# set $work, a folder that the user of the server may read, and called
# require_packages with core_packages.

# Packages that these functions need besides those of lib.sh.
core_packages() { command -v bzip2 >/dev/null || echo bzip2; }

core_major() { "$PG_CONFIG" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/'; }

# The machine's sources of packages with their source packages instead, as a
# configuration of apt in folder $1; sets apt_options.
private_apt() {
	local file
	mkdir -p "$1/parts" "$1/lists/partial" "$1/cache/archives/partial"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -e "$file" ] || sed -nE 's/^deb([[:space:]])/deb-src\1/p' "$file" > "$1/parts/${file##*/}.list"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || sed -E 's/^Types:.*/Types: deb-src/' "$file" > "$1/parts/${file##*/}"
	done
	apt_options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/parts"
		-o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1/cache" -o APT::Sandbox::User=root)
}

# Fetch PostgreSQL's tests into folder $1, as they are in the source package.  A
# server of Debian tells the version of its package; an index may name one that
# is gone, so the others of the major version are tried after it.
fetch_core_source() {
	local package candidate
	package=postgresql-$(core_major)
	command -v apt-get >/dev/null || die "without apt-get, PG_SOURCE must name a folder"
	mkdir -p "$1"
	cd "$1" || exit 1
	private_apt "$work/apt"
	apt-get "${apt_options[@]}" update -qq || echo "not every source of packages answers"
	for candidate in $("$PG_CONFIG" --version | sed -nE 's/.*\(Debian (.*)\)$/\1/p') \
			$(apt-cache "${apt_options[@]}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rVu); do
		if apt-get "${apt_options[@]}" source -qq --only-source --download-only "$package=$candidate"; then
			tar -x -f "$package"_*.orig.tar.* --strip-components=1 --wildcards '*/src/test' '*/contrib' || exit 1
			echo "== source package $package $candidate"
			return
		fi
	done
	die "no source package \"$package\" can be fetched; PG_SOURCE may name a folder"
}

# Build what is in folder $1 and install it into the private server; further
# arguments go to make.
core_make() {
	local log=$work/make-${1##*/}.log
	if ! make -s -C "$1" USE_PGXS=1 with_llvm=no PG_CONFIG="$PG_CONFIG" "${@:2}" install > "$log" 2>&1; then
		cat "$log"
		die "could not build \"$1\""
	fi
}

# Make $work/server, a private copy of the server with zigzag and the modules that
# the suites load, $work/regress and $work/isolation.
prepare_core() {
	local source=${PG_SOURCE:-} module
	if [ -z "$source" ]; then
		source=$work/source
		(fetch_core_source "$source") > "$work/fetch.log" 2>&1 || { cat "$work/fetch.log"; exit 1; }
		grep '^== ' "$work/fetch.log"
	fi
	[ -e "$source/src/test/regress/parallel_schedule" ] || die "\"$source\" has no tests of PostgreSQL"

	say "server: $("$PG_CONFIG" --version), private copy in $work"
	private_server "$work/server"
	copy_checkout "$work/zigzag"
	core_make "$work/zigzag"
	for module in spi auto_explain; do
		cp -a "$source/contrib/$module" "$work/"
		core_make "$work/$module"
	done
	cp -a "$source/src/test/regress" "$source/src/test/isolation" "$work/"
	rm -f "$work"/regress/*.{o,so}
	printf 'MODULES = regress\nPGXS := $(shell $(PG_CONFIG) --pgxs)\ninclude $(PGXS)\n' > "$work/regress/pgxs.mk"
	core_make "$work/regress" -f pgxs.mk
	[ "$(id -u)" != 0 ] || chown -R "$(server_user)" "$work"
}

# Run a suite of PostgreSQL.
#
#   $1  regress or isolation
#   $2  folder with the suite
#   $3  folder for the results, and the instance in "instance"
#   $4  file with settings for the server
#
# That tests fail is not judged here.
run_core_suite() {
	local suite=$1 input=$2 out=$3 conf=$4 tests driver
	tests=$(dirname "$("$PG_CONFIG" --pgxs)")/../test
	case $suite in
	regress) driver=$tests/regress/pg_regress ;;
	isolation) driver=$tests/isolation/pg_isolation_regress ;;
	esac
	as_server_user mkdir -p "$out"
	(cd "$input" && as_server_user env LANG=C.UTF-8 LC_ALL=C.UTF-8 HOME="$work" TMPDIR="$work" \
		"$driver" --inputdir=. --outputdir="$out" --temp-instance="$out/instance" \
		--temp-config="$conf" --bindir="$("$PG_CONFIG" --bindir)" \
		--dlpath="$("$PG_CONFIG" --pkglibdir)" --no-locale --encoding=UTF8 \
		--max-concurrent-tests=20 --schedule="$(echo *_schedule)") > "$out/driver.log" 2>&1
	if ! grep -qE '(All|[0-9]+ of) [0-9]+ tests ' "$out/driver.log"; then
		keep=1
		tail -n 30 "$out/driver.log"
		die "suite \"$suite\" did not come to its end; see $out"
	fi
}
