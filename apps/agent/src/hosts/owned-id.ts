/** Identifies the entity that owns a resource of a host, and the desired resource that it was created for. */
export interface OwnedId {
  readonly entityUid: string;
  readonly name: string;
}

const form = /^(?<entityUid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(?<name>[a-z0-9][a-z0-9-]{0,20})$/;

/**
 * Returns the id of a resource on a host. It contains the owner, so that a resource is found by its owner in the host's records, even if
 * the agent was killed while it created the resource.
 */
export function renderOwnedId({ entityUid, name }: OwnedId): string {
  return `${entityUid}-${name}`;
}

/** Returns the owner in the id of a resource. Returns undefined if the platform's entities do not own it. */
export function parseOwnedId(id: string): OwnedId | undefined {
  const { entityUid, name } = form.exec(id)?.groups ?? {};
  return entityUid === undefined || name === undefined ? undefined : { entityUid, name };
}
