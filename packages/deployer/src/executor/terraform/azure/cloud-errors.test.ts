import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { deployerFaults } from "../../../faults.ts";
import { explainRefusal } from "../explain-refusal.ts";

const explain = (message: string): Fault => explainRefusal(new Fault(terraformFaults.failed, message));

const refused = (code: string, message: string): string =>
  `creating Agent Pool: performing CreateOrUpdate: unexpected status 400 (400 Bad Request) with error: ${code}: ${message}`;

test.each([
  refused("BadRequest", "The VM size of Standard_B1s is not allowed in your subscription in location 'westeurope'."),
  refused("InvalidParameter", "The value of parameter agentPoolProfile.osDiskSizeGB is invalid."),
  refused("InvalidRequestFormat", "Cannot parse the request."),
  refused("InvalidRequestContent", "The request content was invalid and could not be deserialized."),
  refused(
    "LocationNotAvailableForResourceType",
    "The provided location 'mars' is not available for resource type 'Microsoft.Network/virtualNetworks'.",
  ),
  refused("NetcfgInvalidSubnet", "Subnet 'nodes' is not valid in virtual network 'net'."),
  refused("PropertyChangeNotAllowed", "Changing property 'properties.networkProfile.podCidr' is not allowed."),
  `polling after CreateOrUpdate: polling failed: the Azure API returned the following error: Status: "Failed" Code: "InvalidParameter" Message: "The value of parameter imageReference is invalid."`,
  `unexpected status 400 (400 Bad Request) with response: {"code":"BadRequest","message":"The pod CIDR overlaps with the service CIDR."}`,
])("M046 M157 %s is a rejected request that is not retried", (message) => {
  expect(explain(message)).toMatchObject({ code: deployerFaults.request_rejected.code, retry: "never", message });
});

test.each([
  refused("PrincipalNotFound", "Principal 1 does not exist in the directory 2."),
  refused(
    "ReferencedResourceNotProvisioned",
    "Cannot proceed with operation because resource s used by resource r is not in Succeeded state.",
  ),
  refused("BadRequest", "ReferencedResourceNotProvisioned: resource s is in Updating state."),
  refused("RetryableError", "A retryable error occurred."),
  refused("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress."),
  refused("BadRequest", "The role assignment has not taken effect yet."),
  refused("BadRequest", "The identity does not have permission to read the key vault key."),
  refused("InvalidResourceReference", "Resource s referenced by resource r was not found."),
  refused("InvalidParameter", "The managed identity /subscriptions/s/x could not be found."),
  refused("InUseSubnetCannotBeDeleted", "Subnet nodes is in use by nic and cannot be deleted."),
  refused("OperationNotAllowed", "Operation is not allowed because there is an in progress update."),
  refused("SomethingNew", "An unknown problem."),
  `polling failed: the Azure API returned the following error: Status: "BadRequest" Code: "SomethingNew" Message: "An unknown problem."`,
])("M046 M157 %s is retried", (message) => {
  expect(explain(message)).toMatchObject({ retry: "backoff", message });
});
