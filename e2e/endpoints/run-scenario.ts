import { defaultProject, type EntityJson, type Json } from "@cloudwright/contract";
import type { WatchMessage } from "../event-stream.ts";
import { getOperation, type Endpoint, type Outcome } from "./endpoint.ts";
import { follow } from "./follow.ts";
import { createNormaliser } from "./normalise.ts";
import { scenario, type Seen, type Step } from "./scenario.ts";
import { nameOf } from "./scenario-entities.ts";

/** What a scenario came to, comparable between endpoints. */
export interface Run {
  readonly steps: readonly { readonly title: string; readonly fault: string | undefined; readonly outcome: Json }[];
  readonly watched: readonly { readonly type: string; readonly kind: string; readonly object: Json }[];
}

/** Takes every step of the scenario through a endpoint and watches the project's whole history through it. */
export async function runScenario(endpoint: Endpoint, adminKey: string, mark: string): Promise<Run> {
  const { normalise } = createNormaliser(mark);
  const seen = new Map<string, Outcome>();
  const steps: { title: string; fault: string | undefined; outcome: Json }[] = [];
  const messages: WatchMessage[] = [];
  const project = nameOf(mark, "Project");
  const follower = follow(endpoint, { credential: adminKey, project, from: await findEnd(endpoint, adminKey), leaveEvery: 20 });
  for (const step of scenario(mark)) {
    // Who is gone cannot be watched: by now everything else has happened.
    if (step.title === "delete Project")
      messages.push(...(await follower.until(isDeletionOf("RoleBinding", nameOf(mark, "RoleBinding")))));
    const outcome = await endpoint.call({
      method: getOperation(step.operation),
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

/** Where the change log ends now. */
async function findEnd(endpoint: Endpoint, credential: string): Promise<string> {
  const outcome = await endpoint.call({ method: getOperation("ListAgents"), request: { project: defaultProject }, credential });
  if ("refusal" in outcome) throw new Error(`the list was refused: ${JSON.stringify(outcome.refusal)}`);
  return (outcome.answer as { resourceVersion: string }).resourceVersion;
}
