import { randomBytes } from "node:crypto";
import { backOffMs, describeError } from "@cloudwright/platform";
import { readConditions, type Conditions } from "../cloud/conditions.ts";
import type { SimulatedFault, Operation } from "../simulated-faults/simulated-fault.ts";
import { dropped } from "../wire/grpc-server.ts";
import type { Problem } from "./definition.ts";
import { toDiagnostics, type WireDiagnostic } from "./diagnostics.ts";
import type { Scope } from "./scope.ts";

/** An operation that a simulated fault can affect. */
interface Work<Reply> {
  readonly operation: Operation;
  readonly type?: string;
  act(conditions: Conditions): Promise<Reply>;
  /** Returns the reply for an operation that was not carried out. */
  refuse(problems: readonly Problem[]): Reply;
  /** Returns the values that the `echo_secrets` fault reveals. */
  listSecrets?(): readonly string[];
}

/** Thrown to reply with raw bytes instead of an encoded message. */
export class ReplyInstead extends Error {
  readonly reply: Uint8Array | typeof dropped;

  constructor(reply: Uint8Array | typeof dropped) {
    super("another reply");
    this.reply = reply;
  }
}

const stopped: Problem = { summary: "The operation was stopped", detail: "Terraform asked the provider to stop." };

/** Runs an operation together with the simulated fault planned for it. Exceptions become diagnostics. */
export async function runWork<Reply extends { diagnostics?: readonly WireDiagnostic[] }>(
  scope: Scope,
  work: Work<Reply>,
): Promise<Reply> {
  const { operation, type } = work;
  const fault = await scope.faults.take({ tenant: scope.tenant, operation, ...(type === undefined ? {} : { type }) });
  if (fault !== undefined && !(await simulateBefore(scope, fault))) return work.refuse([stopped]);
  if (scope.session.stop.signal.aborted) return work.refuse([stopped]);
  if (fault?.kind === "error" && fault.afterEffect !== true) return work.refuse([{ summary: fault.message }]);
  const conditions = cloudOperations.has(operation)
    ? await readConditions(scope.inventory, scope.tenant, scope.standard)
    : scope.standard;
  if (cloudOperations.has(operation) && !(await passThrottle(scope, conditions))) {
    return work.refuse([
      scope.session.stop.signal.aborted
        ? stopped
        : (scope.definition.throttled?.(operation, type ?? "") ?? { summary: "Too many calls" }),
    ]);
  }
  const reply = await attempt(work, conditions);
  if (fault?.kind === "lost_reply" || fault?.kind === "truncated") throw new ReplyInstead(dropped);
  if (fault?.kind === "rubbish" && fault.where !== "stdout") throw new ReplyInstead(createRubbish());
  const problems = fault === undefined ? [] : listFaultProblems(scope, fault, work);
  return problems.length === 0 ? reply : { ...reply, diagnostics: [...(reply.diagnostics ?? []), ...toDiagnostics(problems)] };
}

/** Operations that call the cloud and can be throttled. Providers handle all others locally. */
const cloudOperations: ReadonlySet<Operation> = new Set(["create", "read", "update", "delete", "import", "data"]);
const backOff = { firstMs: 300, longestMs: 20_000 };
const maxRetries = 25;

// Retries with increasing delays, up to the configured `max_retries`, as a real provider does.
async function passThrottle({ tenant, throttle, clock, session }: Scope, conditions: Conditions): Promise<boolean> {
  const told = session.config["max_retries"];
  const retries = typeof told === "number" ? told : maxRetries;
  for (let retry = 0; !throttle.take(tenant, conditions); retry++) {
    if (retry >= retries || session.stop.signal.aborted) return false;
    const waitMs = backOffMs(backOff, retry) * conditions.timeScale;
    await clock.sleep(waitMs, session.stop.signal).catch(() => undefined);
  }
  return true;
}

async function attempt<Reply>(work: Work<Reply>, conditions: Conditions): Promise<Reply> {
  try {
    return await work.act(conditions);
  } catch (error) {
    const { operation, type } = work;
    return work.refuse([
      { summary: `${operation}${type === undefined ? "" : ` of ${type}`} failed`, detail: describeError(error) },
    ]);
  }
}

// Performs the part of a simulated fault that precedes the operation. Returns false if the operation must not run.
async function simulateBefore(scope: Scope, fault: SimulatedFault): Promise<boolean> {
  const { signal } = scope.session.stop;
  switch (fault.kind) {
    case "crash":
      scope.host.crash();
      throw new ReplyInstead(dropped);
    case "hang":
      return new Promise((resolve) => {
        if (fault.deaf === true) return;
        if (signal.aborted) resolve(false);
        else signal.addEventListener("abort", () => resolve(false), { once: true });
      });
    case "slow":
      return scope.clock.sleep(fault.delayMs, signal).then(
        () => true,
        () => false,
      );
    case "rubbish":
      if (fault.where === "stdout") scope.host.print(`${createRubbish().toString("latin1")}\n`);
      return true;
    case "error":
    case "lost_reply":
    case "truncated":
    case "echo_secrets":
      return true;
  }
}

function listFaultProblems<Reply>(scope: Scope, fault: SimulatedFault, work: Work<Reply>): Problem[] {
  if (fault.kind === "error") return [{ summary: fault.message }];
  if (fault.kind !== "echo_secrets") return [];
  const said = `the cloud did not accept ${(work.listSecrets?.() ?? []).join(" and ")}`;
  if (fault.where === "stderr") {
    scope.host.complain(`${said}\n`);
    return [];
  }
  return [{ severity: fault.where === "warning" ? "warning" : "error", summary: "Too talkative", detail: said }];
}

// The first byte has an invalid wire type, so no decoder can mistake the bytes for an empty message.
function createRubbish(): Buffer {
  return Buffer.concat([Buffer.from([0x0f]), randomBytes(64)]);
}
