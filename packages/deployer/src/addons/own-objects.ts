import {
  describeRef,
  kubeFaults,
  refOf,
  waitForObject,
  isReady,
  type KubeClient,
  type KubeObject,
  type KubeRef,
} from "@cloudwright/kube";
import { Fault } from "@cloudwright/platform";
import { ownLabels } from "./inventory.ts";

const label = "app.kubernetes.io/managed-by";
const partOf = "cloudwright.dev/add-on";

/** Returns a copy of the object with labels that mark it as managed by the platform and part of the add-on. */
export function markOwn(object: KubeObject, addOn: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...ownLabels, [partOf]: addOn } } };
}

/** Returns the first object that already exists without the platform's label. Namespaces are ignored, because they are shared. */
export async function findForeign(
  client: KubeClient,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<KubeRef | undefined> {
  const owned = objects.filter(({ kind }) => kind !== "Namespace").map(refOf);
  const found = await Promise.all(owned.map((ref) => client.find(ref, signal)));
  return owned.find((_ref, index) => found[index] !== undefined && !isOwn(found[index]));
}

/** Filters out objects that already exist without the platform's label. */
export async function leaveForeign(
  client: KubeClient,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found = await Promise.all(objects.map((object) => client.find(refOf(object), signal)));
  return objects.filter((_object, index) => found[index] === undefined || isOwn(found[index]));
}

function isOwn({ metadata }: KubeObject): boolean {
  return metadata.labels?.[label] === ownLabels[label];
}

const first = ["Namespace", "CustomResourceDefinition"];

/** Applies namespaces first, then custom resource definitions, then all other objects. */
export async function applyAll(
  client: KubeClient,
  objects: readonly KubeObject[],
  deadlineMs: number,
  signal: AbortSignal,
): Promise<void> {
  const rank = ({ kind }: KubeObject): number => (first.includes(kind) ? first.indexOf(kind) : first.length);
  for (const object of objects.toSorted((one, other) => rank(one) - rank(other))) {
    await applyOrReplace(client, object, signal);
    // The API accepts custom resources only after it serves their definition.
    if (object.kind === "CustomResourceDefinition") {
      await waitForObject(client, refOf(object), (now) => (now === undefined ? "gone" : isReady(now)), { deadlineMs, signal });
    }
  }
}

// A storage class is immutable but can be replaced, because existing volumes do not depend on it.
async function applyOrReplace(client: KubeClient, object: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    await client.apply(object, { signal });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== kubeFaults.invalid.code || object.kind !== "StorageClass") throw error;
    await client.delete(refOf(object), {}, signal);
    await client.apply(object, { signal });
  }
}

/** Deletes obsolete objects of an add-on in reverse order of creation. Objects without the platform's label are kept. */
export async function prune(
  client: KubeClient,
  had: readonly KubeRef[],
  has: readonly KubeRef[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const kept = new Set(has.map(keyOf));
  for (const ref of had.toReversed()) {
    if (kept.has(keyOf(ref))) continue;
    const found = await client.find(ref, signal);
    if (found === undefined || !isOwn(found)) continue;
    const { uid } = found.metadata;
    await client.delete(ref, uid === undefined ? {} : { uid }, signal);
    log(`deleted ${describeRef(ref)}, which is no longer needed`);
  }
}

export function unite(one: readonly KubeRef[], other: readonly KubeRef[]): KubeRef[] {
  return [...new Map([...one, ...other].map((ref) => [keyOf(ref), ref])).values()];
}

// The API version is left out, because the same object is available in several versions.
function keyOf({ apiVersion, kind, namespace = "", name }: KubeRef): string {
  return JSON.stringify([apiVersion.split("/").slice(0, -1), kind, namespace, name]);
}
