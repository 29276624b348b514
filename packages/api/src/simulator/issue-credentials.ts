import type { Method } from "@cloudwright/contract";
import type { IssueSimulatedCredentialsRequest } from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
import { Fault } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import { auditOf } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { requireSimulated } from "./require-simulated.ts";

/** Issues credentials for the simulated API of an account's cloud. Each response is audited. */
export async function issueCredentials(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: IssueSimulatedCredentialsRequest,
): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  if (deps.simulatedKubernetes === undefined)
    throw new Fault(apiFaults.apis_not_served, "no replica serves the simulated cloud APIs");
  const { rotate, region } = input;
  const { key, expiresAtMs } = requireCaller(call);
  const source = key === undefined ? "" : `${key.uid}~${key.prefix}`;
  const { environment, address, caPem } = await deps.simulatedKubernetes.issueCredentials(account, {
    rotate,
    region,
    source,
    expiresAtMs,
  });
  const { project, name, uid } = account;
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  return { body: JSON.stringify({ environment, address, caPem, simulated: true }) };
}
