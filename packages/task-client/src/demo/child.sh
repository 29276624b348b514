#!/bin/sh
# The program that the demonstration handlers run in place of Terraform. It records its start, a regular beat and its end in the journal.
# Tests use the journal to prove that no two programs of one entity ever ran at the same time. Each line is appended in a single write.
# $1 journal or empty, $2 task, $3 entity, $4 attempt, $5 beats of 0.2 s, $6 end: done, fail or crash, $7 "ignore" to ignore cancel
note() {
  [ -n "$journal" ] || return 0
  read -r now _ </proc/uptime
  printf '{"event":"%s","pid":%d,"task":"%s","entity":"%s","attempt":%d,"at":%s}\n' "$1" $$ "$task" "$entity" "$attempt" "$now" >>"$journal"
}
journal=$1 task=$2 entity=$3 attempt=$4 beats=$5 end=$6
if [ "$7" = ignore ]; then trap '' INT; else trap 'note interrupted; exit 130' INT; fi
# If the lock directory exists, a kernel lock shows whether another program of the entity, or one of its children, is still running.
if [ -n "$journal" ] && [ -d "$journal.locks" ]; then
  exec 9>>"$journal.locks/$entity"
  flock -n 9 || note overlap
fi
note start
beat=0
while [ "$beat" -lt "$beats" ]; do
  sleep 0.2
  beat=$((beat + 1))
  note beat
  echo "beat $beat of $beats"
done
case $end in
  fail) note end; echo "failing, as the annotation asks" >&2; exit 1 ;;
  crash) kill -KILL $$ ;;
esac
note end
