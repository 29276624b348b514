#!/bin/sh
# The program behind the demonstration handlers: it stands for Terraform. It writes down when it starts, that it runs, and when it
# ends, so that others can prove that no two of one entity ever ran at once. Every line is one write to the end of the file.
# $1 journal or empty, $2 task, $3 entity, $4 attempt, $5 beats of 0.2 s, $6 end: done, fail or crash, $7 "ignore" to ignore cancel
note() {
  [ -n "$journal" ] || return 0
  read -r now _ </proc/uptime
  printf '{"event":"%s","pid":%d,"task":"%s","entity":"%s","attempt":%d,"at":%s}\n' "$1" $$ "$task" "$entity" "$attempt" "$now" >>"$journal"
}
journal=$1 task=$2 entity=$3 attempt=$4 beats=$5 end=$6
if [ "$7" = ignore ]; then trap '' INT; else trap 'note interrupted; exit 130' INT; fi
# Where there is a directory for it, the kernel itself says whether another program of the entity, or what it started, still runs.
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
