import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Method } from "@cloudwright/contract";
import type { KeepTokenRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault } from "@cloudwright/platform";
import { findHeldClusterToken, keepClusterToken, seal } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";

/** Encrypts and stores a token that an agent obtained from a cluster. The agent must hold the lease on the task that requested it. */
export async function keepToken(deps: ApiDeps, call: Call, method: Method, request: KeepTokenRequest): Promise<Answer> {
  const agent = requireAgent(call, method);
  const { uid: taskUid, leaseToken, token } = request;
  const expiresAt = request.expiresAt === undefined ? new Date(Number.NaN) : timestampDate(request.expiresAt);
  if (Number.isNaN(expiresAt.getTime())) throw invalid("the request", [{ field: "expiresAt", message: "must be a time" }]);
  const held = { taskUid, leaseToken, agentUid: agent.uid };
  const uid = await findHeldClusterToken(deps.pool, held);
  const sealed = uid === undefined ? undefined : seal(deps.keyRing, uid, token);
  if (sealed === undefined || !(await keepClusterToken(deps.pool, held, { sealed, expiresAt: expiresAt.toISOString() })))
    throw new Fault(apiFaults.lease_lost, `Task "${taskUid}" is not held with this lease, or did not request a token`);
  return { body: "{}" };
}
