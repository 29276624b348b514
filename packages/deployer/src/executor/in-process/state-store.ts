import { createUid, systemClock } from "@cloudwright/platform";
import type { StateAccess } from "../../task.ts";
import { unexpectedAnswer, uploadToEndpoint } from "../state-endpoint.ts";
import { lockState, readState, releaseOwnLock, unlockState } from "../state-lock.ts";
import { emptyDocument, parseDocument, renderDocument, type StateDocument } from "./state-document.ts";

/** An entity's state document, locked for one executor. */
export interface StateStore {
  /** Returns the latest version of the document that was read or written. */
  current(): StateDocument;
  /** Writes the next version. Concurrent writes run one after another. */
  write(change: (document: StateDocument) => Pick<StateDocument, "resources" | "intents">): Promise<void>;
  /** Waits for pending writes and releases the lock. */
  close(): Promise<void>;
}

/** Reads an entity's document without locking it. */
export async function readDocument(endpoint: StateAccess): Promise<StateDocument> {
  const text = await readState(endpoint);
  return text === undefined ? emptyDocument : parseDocument(text);
}

/** Locks and reads an entity's document. If `isResumed` is true, first releases the lock of a killed process that held the same lease. */
export async function openStateStore(endpoint: StateAccess, { isResumed }: { readonly isResumed: boolean }): Promise<StateStore> {
  if (isResumed) await releaseOwnLock(endpoint);
  const lockId = await lockState(endpoint, "in-process");
  let document = await readDocument(endpoint).catch(async (error: unknown) => {
    await unlockState(endpoint, lockId).catch(() => undefined);
    throw error;
  });
  let last: Promise<void> = Promise.resolve();
  const write: StateStore["write"] = async (change) => {
    const next: StateDocument = {
      ...change(document),
      serial: document.serial + 1,
      lineage: document.lineage === "" ? createUid(systemClock.now()) : document.lineage,
    };
    const address = new URL(endpoint.address);
    address.searchParams.set("ID", lockId);
    // The task's signal is not used here, because a cancelled task must still record the changes it made.
    const request = { method: "POST", address: address.href, body: renderDocument(next), type: "application/json" };
    const { status } = await uploadToEndpoint(endpoint, request);
    if (status !== 200) throw unexpectedAnswer("POST", status);
    document = next;
  };
  return {
    current: () => document,
    write(change) {
      const turn = last.then(() => write(change));
      last = turn.catch(() => undefined);
      return turn;
    },
    async close() {
      await last;
      await unlockState(endpoint, lockId);
    },
  };
}
