import { kubeFaults, waitForObject, waitUntilGone, type KubeClient, type KubeObject, type Look } from "@cloudwright/kube";
import { Fault, type Clock } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import type { DeployerTask } from "../task.ts";
import { renderExcerpt, type GateResult } from "./gate-result.ts";
import type { Gate } from "./http-gates.ts";

const jobs = { apiVersion: "batch/v1", kind: "Job" };
const clusterLabel = "cloudwright.dev/cluster";
const gateLabel = "cloudwright.dev/upgrade-gate";
const cleanUpMs = 30_000;
// The cluster itself stops a Job at its deadline. The platform waits a little longer for the result.
const reportMs = 15_000;

export interface JobTry {
  readonly gate: string;
  readonly check: Extract<Gate["check"], { case: "job" }>["value"];
  readonly timeoutMs: number;
  /** Number of the attempt, starting with 1. */
  readonly number: number;
}

/**
 * Runs a Job and waits until it finishes. The Job's name is derived from the task and the attempt, so an agent that takes over from a
 * killed agent finds the existing Job and waits for it. Jobs from other tasks and attempts are removed first, so that a gate never runs
 * twice at the same time.
 */
export async function tryJob(client: KubeClient, task: DeployerTask, one: JobTry, clock: Clock): Promise<GateResult> {
  const { namespace } = one.check;
  const ref = { ...jobs, namespace, name: nameJob(task.task.uid, one) };
  const { signal } = task;
  await removeOthers(client, task, one, ref.name, clock);
  try {
    if ((await client.find(ref, signal)) === undefined) await client.apply(renderJob(task, one, ref.name), { signal });
    let result: GateResult | undefined;
    const look = (job: KubeObject | undefined): Look => {
      result = job === undefined ? { passed: false, message: `the Job ${ref.name} was deleted` } : readEnd(job);
      return result === undefined ? `the Job ${namespace}/${ref.name} has not finished` : true;
    };
    await waitForObject(client, ref, look, { deadlineMs: one.timeoutMs + reportMs, signal, clock });
    return result ?? { passed: false, message: "the Job did not finish" };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== kubeFaults.not_in_time.code) throw error;
    return { passed: false, message: error.message };
  } finally {
    // A cancelled task must still remove its Job. If this fails, the Job's own deadline and expiry remove it.
    await client.delete(ref, {}, AbortSignal.timeout(cleanUpMs)).catch(() => undefined);
  }
}

function nameJob(taskUid: string, { gate, number }: JobTry): string {
  const unique = createHash("sha256").update(`${taskUid}/${number}`).digest("hex").slice(0, 10);
  return `upgrade-gate-${gate}-${unique}`;
}

async function removeOthers(
  client: KubeClient,
  { payload, signal }: DeployerTask,
  one: JobTry,
  own: string,
  clock: Clock,
): Promise<void> {
  const { namespace } = one.check;
  const labels = `${clusterLabel}=${payload.entity.uid},${gateLabel}=${one.gate}`;
  const { items } = await client.list(jobs, { namespace, labels }, signal);
  for (const { metadata } of items.filter((job) => job.metadata.name !== own)) {
    const ref = { ...jobs, namespace, name: metadata.name };
    await client.delete(ref, { dependents: "Foreground" }, signal);
    await waitUntilGone(client, ref, { deadlineMs: cleanUpMs, signal, clock });
  }
}

function renderJob({ payload }: DeployerTask, { gate, check, timeoutMs }: JobTry, name: string): KubeObject {
  const { namespace, image, command, args, serviceAccount } = check;
  const labels = { "app.kubernetes.io/managed-by": "cloudwright", [clusterLabel]: payload.entity.uid, [gateLabel]: gate };
  const container = {
    name: "gate",
    image,
    ...(command.length === 0 ? {} : { command: [...command] }),
    ...(args.length === 0 ? {} : { args: [...args] }),
  };
  const pod = {
    restartPolicy: "Never",
    containers: [container],
    ...(serviceAccount === "" ? { automountServiceAccountToken: false } : { serviceAccountName: serviceAccount }),
  };
  return {
    ...jobs,
    metadata: { name, namespace, labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: Math.ceil(timeoutMs / 1000),
      ttlSecondsAfterFinished: 3600,
      template: { metadata: { labels }, spec: pod },
    },
  };
}

interface JobCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

function readEnd(job: KubeObject): GateResult | undefined {
  const { conditions = [] } = (job["status"] ?? {}) as { readonly conditions?: readonly JobCondition[] };
  const end = conditions.find(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"));
  if (end === undefined) return undefined;
  if (end.type === "Complete") return { passed: true, message: "the Job succeeded" };
  const why = [end.reason ?? "", end.message ?? ""].filter((text) => text !== "").join(", ");
  return { passed: false, message: `the Job ${job.metadata.name} failed${why === "" ? "" : `: ${renderExcerpt(why)}`}` };
}
