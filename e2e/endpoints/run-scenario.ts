import { defaultProject, type EntityJson, type Json } from "@cloudwright/contract";
import type { WatchMessage } from "../event-stream.ts";
import { getMethod, type Endpoint, type Outcome } from "./endpoint.ts";
import { follow } from "./follow.ts";
import { createNormaliser } from "./normalise.ts";
import { scenario, type Seen, type Step } from "./scenario.ts";
import { nameOf } from "./scenario-entities.ts";

/** Results of a scenario, in a form that can be compared between endpoints. */
export interface Run {
  readonly steps: readonly { readonly title: string; readonly fault: string | undefined; readonly outcome: Json }[];
  readonly watched: readonly { readonly type: string; readonly kind: string; readonly object: Json }[];
}

/** Runs every step of the scenario through an endpoint while watching the project. */
export async function runScenario(endpoint: Endpoint, adminKey: string, mark: string): Promise<Run> {
  const { normalise } = createNormaliser(mark);
  const seen = new Map<string, Outcome>();
  const steps: { title: string; fault: string | undefined; outcome: Json }[] = [];
  const messages: WatchMessage[] = [];
  const project = nameOf(mark, "Project");
  const follower = follow(endpoint, { credential: adminKey, project, from: await findEnd(endpoint, adminKey), leaveEvery: 20 });
  for (const step of scenario(mark)) {
    // A deleted project cannot be watched, so wait for all earlier changes before deleting it.
    if (step.title === "delete Project")
      messages.push(...(await follower.until(isDeletionOf("RoleBinding", nameOf(mark, "RoleBinding")))));
    const outcome = await endpoint.call({
      method: getMethod(step.operation),
      request: step.request(seen),
      credential: credentialOf(step, seen, adminKey),
      idempotencyKey: step.idempotencyKey,
    });
    seen.set(step.title, outcome);
    const fault = "refusal" in outcome ? outcome.refusal.code : undefined;
    steps.push({ title: step.title, fault, outcome: normalise(outcome) });
  }
  messages.push(...(await follower.until(isDeletionOf("Project", project), true)));
  follower.close();
  const watched = messages.map(({ type, kind = "", object = {} }) => ({ type, kind, object: normalise(object) }));
  return { steps, watched };
}

function isDeletionOf(kind: string, name: string): (message: WatchMessage) => boolean {
  return (message) =>
    message.type === "DELETED" && message.kind === kind && (message.object as unknown as EntityJson).metadata.name === name;
}

function credentialOf({ keyOf }: Step, seen: Seen, adminKey: string): string | undefined {
  if (keyOf === undefined) return adminKey;
  if (keyOf === "") return undefined;
  const made = seen.get(keyOf) as { answer: { status: { key: string } } };
  return made.answer.status.key;
}

/** Returns the position of the current end of the change log. */
async function findEnd(endpoint: Endpoint, credential: string): Promise<string> {
  const outcome = await endpoint.call({ method: getMethod("ListAgents"), request: { project: defaultProject }, credential });
  if ("refusal" in outcome) throw new Error(`the list request failed: ${JSON.stringify(outcome.refusal)}`);
  return (outcome.answer as { resourceVersion: string }).resourceVersion;
}
