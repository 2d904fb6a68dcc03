#!/bin/sh
# Copies and restores Latchkey's PostgreSQL database: see backup.md. It stops at whatever fails first.
set -eu
umask 077

usage() {
  cat >&2 <<'END'
sh docs/postgresql.sh copy <settings> <folder>    puts a checked copy into the folder
sh docs/postgresql.sh restore <settings> <copy>   replaces everything in the database by the copy
sh docs/postgresql.sh migrations <settings>       shows which migrations the database has

<settings>: the file with DATABASE_URL, such as .env or /etc/latchkey/env; or the word compose, for compose.yaml.
END
  exit 2
}
fail() {
  echo "$1" >&2
  exit 1
}

# Gone at the end, whatever that is.
scratch='' unfinished=''
trap 'rm -rf "$scratch" "$unfinished"' EXIT
trap 'exit 130' INT TERM

[ $# -ge 2 ] || usage
command=$1 settings=$2
if [ "$settings" = compose ]; then
  tool() {
    program=$1
    shift
    docker compose exec -T postgres "$program" --username=latchkey "$@"
  }
  address=latchkey
  host=compose.yaml
else
  tool() { "$@"; }
  # The file's own, whatever this shell has: Node leaves alone what is set already.
  written=$(env -u DATABASE_URL node --env-file="$settings" -p 'process.env.DATABASE_URL ?? ""')
  case $written in
    postgres://* | postgresql://*) ;;
    *) fail "DATABASE_URL in $settings is not the address of a PostgreSQL database. Nothing was done." ;;
  esac
  [ "${DATABASE_URL:-$written}" = "$written" ] ||
    fail "DATABASE_URL is another one in this shell than in $settings, and a server started here would use it. Unset it (unset DATABASE_URL) and begin again. Nothing was done."
  # These would lead elsewhere than the address says, and verify less. PGCLUSTER only chooses the tools' version.
  for name in $(env | sed -n 's/^\(PG[A-Z]*\)=.*/\1/p'); do
    [ "$name" = PGCLUSTER ] || unset "$name"
  done
  authorities=$(env -u NODE_EXTRA_CA_CERTS node --env-file="$settings" -p 'process.env.NODE_EXTRA_CA_CERTS ?? ""')
  [ -z "$authorities" ] || export NODE_EXTRA_CA_CERTS="$authorities"
  scratch=$(mktemp -d)
  read_address() { ADDRESS=$written node --no-warnings "$(dirname "$0")/postgresql-address.mjs" "$1" "$scratch"; }
  address=$(read_address connection)
  host=$(read_address place)
  # The password goes another way than the rest: every user of this machine can see a command line.
  password=$(read_address password)
  [ -z "$password" ] || export PGPASSWORD="$password"
fi

case $command in
  copy)
    [ $# -eq 3 ] && [ -d "$3" ] || usage
    copy=$3/latchkey-$(date -u +%Y%m%d-%H%M%S).dump
    [ ! -e "$copy" ] || fail "$copy is there already."
    unfinished=$copy.part
    tool pg_dump --format=custom --no-owner "$address" > "$unfinished" < /dev/null
    tool pg_restore --file=/dev/null < "$unfinished"
    mv "$unfinished" "$copy"
    echo "$copy"
    ;;
  restore)
    [ $# -eq 3 ] && [ -f "$3" ] || usage
    sql=$3.sql
    unfinished=$sql
    # Whole before the database hears of it: its last line is what makes it count.
    {
      cat "$(dirname "$0")/empty-database.sql"
      tool pg_restore --no-owner --no-privileges --no-comments --file=- < "$3"
      echo 'COMMIT;'
    } > "$sql"
    name=$(tool psql --no-psqlrc --no-align --tuples-only --command='SELECT current_database()' "$address" < /dev/null)
    echo "Everything in the database $name at $host will be replaced by $3."
    printf 'Is every server process stopped? To go on, type yes: '
    read -r answer || answer=
    [ "$answer" = yes ] || fail "Nothing was changed."
    tool psql --no-psqlrc --quiet --output=/dev/null --set=ON_ERROR_STOP=1 "$address" < "$sql" ||
      fail "It failed, and nothing was changed."
    echo "Restored."
    ;;
  migrations)
    tool psql --no-psqlrc "$address" < /dev/null \
      --command='SELECT migration_name, finished_at FROM _prisma_migrations ORDER BY 1'
    ;;
  *) usage ;;
esac
