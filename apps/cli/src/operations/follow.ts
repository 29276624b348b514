import { Fault } from "@cloudwright/platform/fault";
import type { Session } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { isOpen, type Operation, type OperationRef } from "./operation.ts";

/** Callbacks for progress while operations are followed. */
export interface Follower {
  show(operation: Operation): void;
  /** Called when the connection is lost. The client then reconnects. */
  lost(fault: Fault): void;
}

const pauseMs = 1000;

/** Follows operations until all have ended, even if the server restarts. Returns them in the order of `refs`. */
export async function followOperations(
  session: Session,
  refs: readonly OperationRef[],
  follower: Follower,
  signal: AbortSignal,
): Promise<Operation[]> {
  const projects = [...new Set(refs.map(({ project }) => project))];
  const ended = await Promise.all(
    projects.map(async (project) => {
      const names = refs.filter((ref) => ref.project === project).map(({ name }) => name);
      return [project, await followProject(session, project, names, follower, signal)] as const;
    }),
  );
  const byProject = new Map(ended);
  return refs.flatMap(({ project, name }) => byProject.get(project)?.get(name) ?? []);
}

async function followProject(
  session: Session,
  project: string,
  names: readonly string[],
  follower: Follower,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Operation>> {
  const ended = new Map<string, Operation>();
  for (;;) {
    try {
      await followOnce(session, project, names, { ended, follower, signal });
      return ended;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Fault) || !["unavailable", "exhausted"].includes(error.kind)) throw error;
      follower.lost(error);
    }
    await session.world.clock.sleep(pauseMs, signal);
  }
}

async function followOnce(
  { client }: Session,
  project: string,
  names: readonly string[],
  { ended, follower, signal }: { ended: Map<string, Operation>; follower: Follower; signal: AbortSignal },
): Promise<void> {
  const open = new Map<string, string>();
  const see = (name: string, operation: Operation): void => {
    follower.show(operation);
    if (isOpen(operation)) open.set(operation.metadata.uid, name);
    else {
      open.delete(operation.metadata.uid);
      ended.set(name, operation);
    }
  };
  // Gets the stream position before reading the operations, so that a change between the two steps is not missed.
  const { resourceVersion } = await client.operations.list(project, { pageSize: 1, signal });
  for (const name of names) if (!ended.has(name)) see(name, await client.operations.get(project, name, { signal }));
  if (open.size === 0) return;
  const onReconnect = (fault: Fault): void => follower.lost(fault);
  const options = { signal, onReconnect, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  for await (const event of client.operations.watch(project, options)) {
    const name = event.type === "SYNCED" ? undefined : open.get(event.object.metadata.uid);
    if (event.type === "SYNCED" || name === undefined) continue;
    if (event.type === "DELETED") throw new Fault(cliFaults.operation_gone, `operation ${name} was deleted`);
    see(name, event.object);
    if (open.size === 0) return;
  }
}
