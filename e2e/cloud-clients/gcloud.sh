#!/bin/sh
# Creates, describes, lists and deletes a network, a machine, a cluster and a node pool with gcloud. The environment names the endpoints and
# the credentials. Any failure ends the script.
set -eu
export CLOUDSDK_CORE_DISABLE_PROMPTS=1 CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=1 CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=1
trap 'echo "failed after: $step" >&2' EXIT
step=start
zone=us-central1-a
run() { step="$*"; gcloud "$@" --quiet; }
value() { step="$1 $*"; format=$1; shift; gcloud "$@" --quiet --format "value($format)"; }

run compute networks create cli --subnet-mode custom
run compute networks subnets create cli --network cli --region us-central1 --range 10.0.0.0/20
test "$(value ipCidrRange compute networks subnets describe cli --region us-central1)" = 10.0.0.0/20

run compute instances create cli --zone $zone --machine-type e2-small --image-family debian-12 --image-project debian-cloud \
  --subnet cli --labels team=a --no-service-account --no-scopes
test "$(value status compute instances describe cli --zone $zone)" = RUNNING
test "$(value name compute instances list --filter labels.team=a)" = cli
run compute instances stop cli --zone $zone
test "$(value status compute instances describe cli --zone $zone)" = TERMINATED
run compute instances start cli --zone $zone
run compute instances add-labels cli --zone $zone --labels team=b
test "$(value labels.team compute instances describe cli --zone $zone)" = b

run container clusters create cli --zone $zone --num-nodes 1 --machine-type e2-standard-2 --network cli --subnetwork cli
test "$(value status container clusters describe cli --zone $zone)" = RUNNING
test "$(value name container clusters list)" = cli
run container node-pools create second --cluster cli --zone $zone --num-nodes 1
run container clusters resize cli --zone $zone --node-pool second --num-nodes 2
test "$(value currentNodeCount container clusters describe cli --zone $zone)" = 3
run container node-pools delete second --cluster cli --zone $zone
run container clusters delete cli --zone $zone

run compute instances delete cli --zone $zone
run compute networks subnets delete cli --region us-central1
run compute networks delete cli
trap - EXIT
echo done
