import { holdsRole } from "@cloudwright/api/holds-role";
import { isUid, type Clock } from "@cloudwright/platform";
import type { ClusterRecord, ClusterRole, TokenOrigin } from "@cloudwright/simulator";
import { findAccountPlace, findCallerByKeyUid, findEntity, type CallerRow, type Pool } from "@cloudwright/store";

/** How long a result is reused. A revoked key or role keeps working in simulated clusters for at most this long. */
const reuseMs = 2000;
const maxAnswers = 1000;

/** The platform role that each kubeconfig role requires. */
const requiredRoles = { admin: "editor", viewer: "viewer" } as const satisfies Record<ClusterRole, string>;

interface CheckDeps {
  readonly pool: Pool;
  readonly clock: Pick<Clock, "now">;
}

type Cluster = Pick<ClusterRecord, "id" | "project">;
type SourceCheck = (origin: TokenOrigin, cluster: Cluster) => Promise<boolean>;

/**
 * Creates a function that checks whether the API key that requested a kubeconfig is still valid, and whether the key's holder still has the
 * role that the kubeconfig requires. A source identifies the key and an entity as `uid~prefix~entity uid`, as written by `renderSource` in
 * the API package. The entity is the cluster, or its account if no entity represents the cluster. Rotating the key changes the prefix.
 * Kubeconfigs of earlier releases name no entity. They require the role in any environment of the project.
 */
export function createSourceCheck(deps: CheckDeps): SourceCheck {
  const reuse = createReuse(deps);
  return (origin, cluster) => reuse(`${cluster.id} ${origin.role} ${origin.source}`, () => checkSource(deps, origin, cluster));
}

/**
 * Creates a function that checks whether credentials for a simulated account are still valid: the API key that requested them must be
 * valid, and the key's holder must still be an editor of the account. A source identifies the key as `uid~prefix`.
 */
export function createAccountSourceCheck(deps: CheckDeps): (source: string, accountUid: string) => Promise<boolean> {
  const reuse = createReuse(deps);
  return (source, accountUid) => reuse(`${accountUid} ${source}`, () => checkAccountSource(deps, source, accountUid));
}

function createReuse(deps: CheckDeps): (key: string, check: () => Promise<boolean>) => Promise<boolean> {
  const answers = new Map<string, { readonly atMs: number; readonly isValid: Promise<boolean> }>();
  return (key, check) => {
    const nowMs = deps.clock.now();
    const known = answers.get(key);
    if (known !== undefined && nowMs - known.atMs < reuseMs) return known.isValid;
    if (answers.size >= maxAnswers) answers.clear();
    const isValid = check();
    answers.set(key, { atMs: nowMs, isValid });
    isValid.catch(() => answers.delete(key));
    return isValid;
  };
}

async function checkAccountSource(deps: CheckDeps, source: string, accountUid: string): Promise<boolean> {
  const row = await findHolder(deps, source);
  const place = row === undefined || !isUid(accountUid) ? undefined : await findAccountPlace(deps.pool, accountUid);
  return row !== undefined && place !== undefined && holdsRole(row, place, "editor");
}

/** Returns the holder of the API key that a source identifies, or undefined if the key is no longer valid. */
async function findHolder({ pool, clock }: CheckDeps, source: string): Promise<CallerRow | undefined> {
  const [uid = "", prefix] = source.split("~");
  const row = isUid(uid) ? await findCallerByKeyUid(pool, uid) : undefined;
  const isExpired = row?.expires_at != null && row.expires_at.getTime() <= clock.now();
  return row === undefined || row.prefix !== prefix || row.disabled || isExpired ? undefined : row;
}

async function checkSource(deps: CheckDeps, { source, role }: TokenOrigin, cluster: Cluster): Promise<boolean> {
  const row = await findHolder(deps, source);
  if (row === undefined) return false;
  const { pool } = deps;
  const [, , entityUid] = source.split("~");
  const project = cluster.project ?? "";
  if (entityUid === undefined) return holdsRole(row, { project, environment: undefined }, requiredRoles[role]);
  const entity = await findEntity(pool, { kind: "Cluster", project, namingScope: "", ref: entityUid });
  if (entity !== undefined) return holdsRole(row, { project, environment: entity.environment }, requiredRoles[role]);
  // Only editors of an account get kubeconfigs through the account, so the key's holder must still be an editor.
  const place = isUid(entityUid) ? await findAccountPlace(pool, entityUid) : undefined;
  return place?.project === project && holdsRole(row, place, "editor");
}
