# Shared by the scripts of this folder: finding and installing what is needed,
# and a private copy of a PostgreSQL server.  Sourced, not run.

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Debian packages that are missing, for the commands and files named.
missing_packages() {
	local list=()
	command -v make >/dev/null || list+=(make)
	command -v gcc >/dev/null || command -v cc >/dev/null || list+=(gcc libc6-dev)
	[ ! -e "$top/.git" ] || command -v git >/dev/null || list+=(git)
	command -v runuser >/dev/null || list+=(util-linux)
	if [ -z "${PG_CONFIG:-}" ]; then
		[ -x /usr/lib/postgresql/15/bin/postgres ] || list+=(postgresql-15)
		[ -x /usr/lib/postgresql/15/bin/pg_config ] &&
			[ -e /usr/include/postgresql/15/server/postgres.h ] ||
			list+=(postgresql-server-dev-15)
	fi
	perl -MIPC::Run -e 1 2>/dev/null || list+=(libipc-run-perl)
	printf '%s\n' "${list[@]}" "$@" | sed '/^$/d'
}

# Install what is missing, or say what is.  Arguments: further packages.
# Without PG_CONFIG the server is PostgreSQL 15 of Debian 12.
require_packages() {
	local packages
	packages=$(missing_packages "$@")
	if [ -n "$packages" ]; then
		[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
			die "please install:" $packages
		say "installing" $packages
		export DEBIAN_FRONTEND=noninteractive
		# No cluster of its own: the tests start throwaway ones.
		if [ ! -e /etc/postgresql-common ]; then
			mkdir -p /etc/postgresql-common
			echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
		fi
		apt-get -o DPkg::Lock::Timeout=300 update -qq
		apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends \
			-o Dpkg::Options::=--force-confold $packages >/dev/null ||
			die "could not install:" $packages
	fi
	if [ -z "${PG_CONFIG:-}" ]; then
		PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
	fi
	"$PG_CONFIG" --version >/dev/null || die "\"$PG_CONFIG\" does not run"
}

# A user that may run a server: root may not.
server_user() {
	if [ "$(id -u)" != 0 ]; then
		id -un
	elif id postgres >/dev/null 2>&1; then
		echo postgres
	else
		echo nobody
	fi
}

# Run a command as that user.
as_server_user() {
	if [ "$(id -u)" = 0 ]; then
		runuser -u "$(server_user)" -- "$@"
	else
		"$@"
	fi
}

# Copy the server PG_CONFIG belongs to into folder $1, where an extension can be
# installed without touching the system, and set PG_CONFIG to the copy's own.
# PostgreSQL finds its files relative to its binaries.
private_server() {
	local root=$1 dir prefix
	local bin pkglib share include lib copy
	bin=$(readlink -f "$("$PG_CONFIG" --bindir)")
	pkglib=$("$PG_CONFIG" --pkglibdir)
	share=$("$PG_CONFIG" --sharedir)
	include=$("$PG_CONFIG" --includedir-server)
	lib=$("$PG_CONFIG" --libdir)
	prefix=$bin
	for dir in "$pkglib" "$share" "$include"; do
		while [ "${dir#"$prefix"/}" = "$dir" ]; do prefix=$(dirname "$prefix"); done
	done
	[ "$prefix" != / ] || prefix=
	for dir in "$bin" "$pkglib" "$share"; do
		mkdir -p "$root/${dir#"$prefix"/}"
		cp -a "$dir/." "$root/${dir#"$prefix"/}/"
	done
	mkdir -p "$root/$(dirname "${include#"$prefix"/}")"
	ln -sfn "$include" "$root/${include#"$prefix"/}"
	PG_CONFIG=$root/${bin#"$prefix"/}/pg_config
	[ "$("$PG_CONFIG" --bindir)" = "$(dirname "$PG_CONFIG")" ] ||
		die "the server in \"$bin\" cannot be copied to another place"
	# What the unit tests link with, where it is not beside the modules.
	copy=$("$PG_CONFIG" --libdir)
	if [ "${copy#"$root"/}" != "$copy" ]; then
		mkdir -p "$copy"
		for lib in "$lib"/libpgcommon.a "$lib"/libpgport.a; do
			[ ! -e "$lib" ] || [ -e "$copy/${lib##*/}" ] || ln -s "$lib" "$copy/"
		done
	fi
}

# A copy of the checkout in folder $1: what git knows and what it does not
# ignore, so that a build leaves no file behind.  A copy without git is copied
# as it is.
copy_checkout() {
	mkdir -p "$1"
	if [ ! -e "$top/.git" ]; then
		tar -c -C "$top" . | tar -x -C "$1"
		return
	fi
	(cd "$top" && git -c safe.directory="*" ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' f; do [ -e "$f" ] && printf '%s\0' "$f"; done |
		tar -c --null -T -) | tar -x -C "$1"
}

# A TCP port nobody listens on.
free_port() {
	perl -MIO::Socket::INET -e '
		print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'
}

# A cluster in $1/data for tests, with the settings of file $2, reached by the
# socket in $1 alone; its log is $1/log.  PG_CONFIG names the server.
start_cluster() {
	local bin work=$1
	bin=$("$PG_CONFIG" --bindir)
	chmod 755 "$work"
	[ "$(id -u)" != 0 ] || chown "$(server_user)" "$work"
	as_server_user env LC_ALL=C.UTF-8 "$bin/initdb" -D "$work/data" -U postgres -A trust -N \
		-E UTF8 --locale=C.UTF-8 > "$work/initdb.log" 2>&1 || { cat "$work/initdb.log"; return 1; }
	{ cat "$2"; echo "unix_socket_directories = '$work'"; } |
		as_server_user tee -a "$work/data/postgresql.conf" >/dev/null
	as_server_user "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w start >/dev/null
}

stop_cluster() {
	[ ! -e "$1/data/postmaster.pid" ] ||
		as_server_user "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null
}
