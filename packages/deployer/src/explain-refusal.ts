import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerFaults } from "./faults.ts";

// By the cloud's own codes and words, as its provider repeats them; the gravest first.
const meanings: readonly (readonly [FaultDefinition, RegExp])[] = [
  [deployerFaults.quota_reached, /VcpuLimitExceeded|\b(Resource)?LimitExceeded(Exception)?:|Cannot exceed quota|QuotaExceeded/],
  [
    deployerFaults.nodes_failed,
    /NodeCreationFailure|AsgInstanceLaunchFailures|InsufficientInstanceCapacity|Ec2LaunchTemplate\w+|CREATE_FAILED/,
  ],
  [
    deployerFaults.role_not_ready,
    /could not be assumed because it does not exist|required service principals .* were not found in the trust relationships|Invalid IAM Instance Profile|MalformedPolicyDocument: Invalid principal/,
  ],
  [
    deployerFaults.throttled,
    /\b(ThrottlingException|Throttling|ThrottledException|TooManyRequestsException|RequestLimitExceeded|SlowDown)\b|Rate exceeded/,
  ],
];

/** A fault of a run whose words say what the cloud would not do, under the name of that cause; any other error as it is. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== terraformFaults.failed.code) return error;
  const meaning = meanings.find(([, words]) => words.test(error.message))?.[0];
  return meaning === undefined ? error : new Fault(meaning, error.message, { cause: error });
}
