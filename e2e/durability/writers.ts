import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { waitUntil } from "../wait-until.ts";

/** Current address of the server. It changes with every restart. */
export interface Target {
  readonly address: string;
  readonly adminKey: string;
}

/** Results of writes that were sent while processes were being killed. */
export interface Writes {
  /** Uids of all environments whose creation the server acknowledged, keyed by name. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Number of errors that clients received instead of a response, keyed by kind of error. */
  readonly troubles: ReadonlyMap<string, number>;
  /** Responses that no client should ever receive. */
  readonly surprises: readonly string[];
}

const writers = 8;

/**
 * Creates environments, several at a time. Each request has its own Idempotency-Key and is repeated until the server acknowledges it. After
 * a failure, the writer waits until the server is ready. Calls `onProgress` after each acknowledgement.
 */
export async function writeMany(target: () => Target, count: number, onProgress: (done: number) => void): Promise<Writes> {
  const acknowledged = new Map<string, string>();
  const troubles = new Map<string, number>();
  const surprises: string[] = [];
  let next = 0;
  const write = async (name: string): Promise<void> => {
    for (;;) {
      const outcome = await attempt(createAdminCalls(target()), name);
      if ("uid" in outcome) return void acknowledged.set(name, outcome.uid);
      if ("surprise" in outcome) return void surprises.push(outcome.surprise);
      troubles.set(outcome.trouble, (troubles.get(outcome.trouble) ?? 0) + 1);
      await waitUntil("the server is ready again", () => isReady(target()));
    }
  };
  const work = async (): Promise<void> => {
    while (next < count) {
      await write(`write-${String(next++).padStart(4, "0")}`);
      onProgress(acknowledged.size);
    }
  };
  await Promise.all(Array.from({ length: writers }, work));
  return { acknowledged, troubles, surprises };
}

type Attempt = { readonly uid: string } | { readonly trouble: string } | { readonly surprise: string };

async function attempt(admin: AdminCalls, name: string): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await admin.send("POST", "/v1/projects/default/environments", { metadata: { name } }, { "idempotency-key": name });
    text = await response.text();
  } catch {
    return { trouble: "connection" };
  }
  if (response.status === 201) return { uid: (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid };
  return response.status === 503 ? { trouble: "503" } : { surprise: `${name}: ${response.status} ${text}` };
}

async function isReady({ address }: Target): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`);
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
