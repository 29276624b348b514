import type { GateStage } from "@cloudwright/contract";
import { describeError, Fault, systemClock, type Clock } from "@cloudwright/platform";
import { withCluster } from "../access/open-cluster.ts";
import { patienceWith } from "../access/patience.ts";
import { awaitApi, type ClusterDeps } from "../access/reach-cluster.ts";
import { deployerFaults } from "../faults.ts";
import { requireEntity, type DeployedAccount, type DeployerTask, type JsonObject } from "../task.ts";
import { checkNodes } from "./check-nodes.ts";
import { renderExcerpt, type GateResult } from "./gate-result.ts";
import { tryHttp, tryMetric, type Gate, type GateReach } from "./http-gates.ts";
import { tryJob } from "./job-gate.ts";

const defaults = { timeoutSeconds: 60, retries: 2, intervalSeconds: 10 };

/**
 * Protects one step of an upgrade: checks that the cluster's nodes are supported by the step's version, then runs the gates of the stage in
 * order. Throws a fault that names the first gate that fails.
 */
export async function runGates(deps: ClusterDeps, task: DeployerTask, account: DeployedAccount): Promise<JsonObject> {
  const { gates: wanted } = task.payload;
  if (wanted === undefined) throw new Fault(deployerFaults.bad_spec, "the task does not say which gates to run");
  const { stage, skip } = wanted;
  const { version, upgrade } = requireEntity(task, "Cluster").spec;
  const { reachMs, oldNodesMs } = patienceWith(account, deps.patience);
  const clock = deps.clock ?? systemClock;
  const gates = (upgrade?.gates ?? []).filter(({ when }) => when.length === 0 || when.includes(stage));
  return withCluster(deps, task, account, async ({ client }) => {
    await awaitApi(client, clock, reachMs, task.signal);
    task.progress(5, `checking node versions ${describeStage(stage, version)}`);
    const tell = (message: string): void => {
      task.progress(5, message);
      task.log(message);
    };
    await checkNodes(client, { version, deadlineMs: oldNodesMs, signal: task.signal, clock, tell });
    task.log(`all nodes are supported by Kubernetes ${version}`);
    const passed: string[] = [];
    for (const [index, gate] of gates.entries()) {
      if (skip.includes(gate.name)) {
        task.log(`gate ${gate.name} skipped, as requested`);
        continue;
      }
      task.progress(10 + Math.round((index / gates.length) * 85), `running gate ${gate.name} ${describeStage(stage, version)}`);
      await runGate({ client, hosts: deps.gateHosts ?? [] }, task, gate, clock);
      passed.push(gate.name);
    }
    return { stage, passed, skipped: gates.map(({ name }) => name).filter((name) => skip.includes(name)) };
  });
}

function describeStage(stage: GateStage, version: string): string {
  return stage === "after" ? `after the upgrade to ${version}` : `before the upgrade to ${version}`;
}

async function runGate(reach: GateReach, task: DeployerTask, gate: Gate, clock: Clock): Promise<void> {
  const { name, timeoutSeconds, retries = defaults.retries, intervalSeconds } = gate;
  const tries = retries + 1;
  for (let number = 1; ; number += 1) {
    const timeoutMs = (timeoutSeconds || defaults.timeoutSeconds) * 1000;
    const { passed, message } = await tryOnce(reach, task, gate, { number, timeoutMs, clock });
    task.log(`gate ${name} ${passed ? "passed" : "failed"}, attempt ${number} of ${tries}: ${message}`);
    if (passed) return;
    if (number === tries) {
      throw new Fault(deployerFaults.gate_failed, `gate "${name}" failed in attempt ${number} of ${tries}: ${message}`);
    }
    await clock.sleep((intervalSeconds || defaults.intervalSeconds) * 1000, task.signal);
  }
}

interface Try {
  readonly number: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Runs a gate once. A request error fails the attempt, unless the task was cancelled or the agent is not allowed to send the request. */
async function tryOnce(reach: GateReach, task: DeployerTask, { name, check }: Gate, one: Try): Promise<GateResult> {
  if (check.case === "job")
    return tryJob(reach.client, task, { gate: name, check: check.value, ...one }, one.clock).catch((error: unknown) =>
      fail(task, error),
    );
  const over = new AbortController();
  const isOver = new Error(`no response within ${one.timeoutMs / 1000} s`);
  const ended = new AbortController();
  one.clock.sleep(one.timeoutMs, ended.signal).then(
    () => over.abort(isOver),
    () => undefined,
  );
  try {
    const signal = AbortSignal.any([over.signal, task.signal]);
    if (check.case === "http") return await tryHttp(reach, check.value, signal);
    if (check.case === "metric") return await tryMetric(reach, check.value, signal);
    throw new Fault(deployerFaults.bad_spec, `gate "${name}" has a check that this agent does not support`);
  } catch (error) {
    return fail(task, error);
  } finally {
    ended.abort();
  }
}

function fail(task: DeployerTask, error: unknown): GateResult {
  task.signal.throwIfAborted();
  const isFinal = error instanceof Fault && [deployerFaults.gate_refused.code, deployerFaults.bad_spec.code].includes(error.code);
  if (isFinal) throw error;
  return { passed: false, message: renderExcerpt(describeError(error)) };
}
