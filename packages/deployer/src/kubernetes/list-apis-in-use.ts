import type { KubeClient, KubeObject } from "@cloudwright/kube";
import type { ApiInUse, RemovedApi } from "./removed-apis.ts";

/**
 * Lists the API versions that clients use to write objects of the affected kinds. The versions are read from the objects' managed fields
 * and from kubectl's annotation.
 */
export async function listApisInUse(
  client: KubeClient,
  removed: readonly RemovedApi[],
  signal: AbortSignal,
): Promise<readonly ApiInUse[]> {
  const found: ApiInUse[] = [];
  for (const { apiVersion, kinds } of removed) {
    for (const kind of kinds) {
      if (!(await client.isServed({ apiVersion, kind }, signal))) continue;
      const { items } = await client.list({ apiVersion, kind }, {}, signal);
      found.push(...items.flatMap((object) => readUses(kind, object)));
    }
  }
  return found;
}

const applied = "kubectl.kubernetes.io/last-applied-configuration";
// Writers that are part of the API server. They migrate to the new version with each upgrade.
const own = new Set(["api-priority-and-fairness-config-producer-v1", "api-priority-and-fairness-config-consumer-v1"]);

function readUses(kind: string, { metadata }: KubeObject): ApiInUse[] {
  const { name = "", namespace, managedFields = [], annotations = {} } = metadata as ManagedMetadata;
  const place = { kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const writers = managedFields.flatMap(({ apiVersion = "", manager = "somebody" }) =>
    own.has(manager) ? [] : [{ ...place, apiVersion, writer: manager }],
  );
  const written = /"apiVersion":\s*"(?<apiVersion>[^"]+)"/.exec(annotations[applied] ?? "")?.groups?.["apiVersion"];
  const all = written === undefined ? writers : [...writers, { ...place, apiVersion: written, writer: "kubectl" }];
  return [...new Map(all.map((use) => [`${use.apiVersion} ${use.writer}`, use])).values()];
}

interface ManagedMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly { readonly apiVersion?: string; readonly manager?: string }[];
}
