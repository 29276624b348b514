import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { deployerFaults } from "../../../faults.ts";
import { explainRefusal } from "../explain-refusal.ts";

const explain = (message: string): Fault => explainRefusal(new Fault(terraformFaults.failed, message));

test.each([
  "google_container_node_pool.pool: error creating NodePool: googleapi: Error 400: Machine type e2-standard-4 does not support accelerators., badRequest (main.tf:12)",
  "Error creating Subnetwork: googleapi: Error 400: Invalid value for field 'resource.ipCidrRange': '10.0.0.0/33'. Must be a CIDR address range., invalid",
  "Error creating instance: googleapi: Error 400: Invalid value for field 'resource.machineType': 'x'. Machine type with name 'e2-none' does not exist in zone 'europe-west1-b'., invalid",
  "Error creating Subnetwork: googleapi: Error 400: Invalid IPCidrRange: 10.0.0.0/20 conflicts with existing subnetwork 'default' in region 'us-central1'., invalidArgument",
  "Error creating KeyRing: rpc error: code = InvalidArgument desc = Location 'mars' is not supported.",
  "googleapi: Error 400: The 'bucket' name must be at least 3 characters., invalidParameter, and 2 more",
])("M046 M157 %s is a rejected request that is not retried", (message) => {
  expect(explain(message)).toMatchObject({ code: deployerFaults.request_rejected.code, retry: "never", message });
});

test.each([
  "googleapi: Error 400: The resource 'projects/p/regions/r/subnetworks/s' is not ready, resourceNotReady",
  "googleapi: Error 400: The network resource 'projects/p/global/networks/n' is already being used by 'projects/p/global/firewalls/f', resourceInUseByAnotherResource",
  "googleapi: Error 400: Cluster is running incompatible operation operation-1700000000000-1a2b3c4d., failedPrecondition",
  "googleapi: Error 400: Operation operation-1 is currently upgrading cluster c. Please wait and try again once it is done., badRequest",
  "googleapi: Error 400: There is a peering operation in progress on the local or peer network. Try again later., badRequest",
  "Error waiting for Creating Address: googleapi: Error 400: Operation rate exceeded, RESOURCE_OPERATION_RATE_EXCEEDED",
  "googleapi: Error 400: Invalid value for field 'resource.network': 'n'. The referenced network resource cannot be found., invalid",
  "googleapi: Error 400: Identity Pool does not exist (p.svc.id.goog). Please check that you specified a valid resource name., badRequest",
  "googleapi: Error 400: Service account n@p.iam.gserviceaccount.com does not exist., badRequest",
  "googleapi: Error 400: Unknown service account, invalid",
  "googleapi: Error 500: Internal error encountered., backendError",
  "Error waiting for creating GKE cluster: All cluster resources were brought up, but: component is unhealthy",
])("M046 M157 %s is retried", (message) => {
  expect(explain(message)).toMatchObject({ retry: "backoff", message });
});
