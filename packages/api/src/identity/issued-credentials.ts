import type { Clock } from "@cloudwright/platform";
import { listIssuedCredentials, type Pool } from "@cloudwright/store";
import { hashCredential } from "./api-keys.ts";

/** Recognises existing credentials. It sends at most one query every few seconds, however many invalid credentials arrive. */
export interface IssuedCredentialIndex {
  /** Returns whether the text is an API key or the token of a browser session. */
  has(credential: string): Promise<boolean>;
  /** Returns an agent's public key. */
  findAgentKey(uid: string): Promise<string | undefined>;
}

const renewAfterMs = 5000;

/** Creates an index of issued credentials. The index is empty at startup and is loaded when the first unknown credential arrives. */
export function createIssuedCredentialIndex(deps: { readonly pool: Pool; readonly clock: Clock }): IssuedCredentialIndex {
  let hashes: ReadonlySet<string> = new Set();
  let agents: ReadonlyMap<string, string> = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    readAtMs = deps.clock.now();
    const issued = await listIssuedCredentials(deps.pool);
    hashes = new Set(issued.hashes.map((hash) => hash.toString("base64")));
    agents = new Map(issued.agents.map(({ uid, publicKey }) => [uid, publicKey]));
  };
  /** Looks up an entry. If the entry is missing and the index is old, reloads the index and looks it up again. */
  const find = async <Found>(look: () => Found | undefined): Promise<Found | undefined> => {
    const found = look();
    if (found !== undefined) return found;
    if (reading === undefined && deps.clock.now() - readAtMs < renewAfterMs) return undefined;
    // If the database does not respond, the credential is treated as unknown. The regular lookup then reports the failure.
    reading ??= read()
      .catch(() => undefined)
      .finally(() => (reading = undefined));
    await reading;
    return look();
  };
  return {
    async has(credential) {
      const hash = hashCredential(credential).toString("base64");
      return (await find(() => (hashes.has(hash) ? true : undefined))) ?? false;
    },
    findAgentKey: (uid) => find(() => agents.get(uid)),
  };
}
