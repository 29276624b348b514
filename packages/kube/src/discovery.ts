import { Fault } from "@cloudwright/platform";
import { kubeFaults } from "./faults.ts";
import type { KubeKind } from "./kube-object.ts";
import { readError } from "./read-error.ts";
import type { Transport } from "./transport.ts";

/** Where and how the API serves the objects of a kind. */
export interface KubeResource {
  /** For example `/apis/apps/v1`. */
  readonly base: string;
  /** For example `deployments`. */
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

/** Looks up the kinds that a cluster serves. */
export interface Discovery {
  /** Returns undefined if the cluster does not serve the kind. */
  find(kind: KubeKind, signal?: AbortSignal): Promise<KubeResource | undefined>;
  get(kind: KubeKind, signal?: AbortSignal): Promise<KubeResource>;
}

type Served = ReadonlyMap<string, KubeResource>;

/**
 * Creates a `Discovery` that loads the kinds of each API version once. If a kind is missing, it loads that version again, because the kind
 * may have been added since.
 */
export function createDiscovery(transport: Transport): Discovery {
  const known = new Map<string, Served>();

  async function load(apiVersion: string, signal: AbortSignal | undefined): Promise<Served> {
    const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const what = `list the kinds of ${apiVersion}`;
    const { status, body } = await transport.ask({ method: "GET", path: base, signal, what });
    if (status === 404) return new Map();
    if (status !== 200) throw readError(what, status, body);
    const { resources } = body as { resources?: readonly { name: string; kind: string; namespaced: boolean; verbs: string[] }[] };
    const served = (resources ?? [])
      .filter(({ name }) => !name.includes("/"))
      .map(({ name, kind, namespaced, verbs }): [string, KubeResource] => [
        kind,
        { base, plural: name, isNamespaced: namespaced, verbs },
      ]);
    const all = new Map(served);
    known.set(apiVersion, all);
    return all;
  }

  const discovery: Discovery = {
    async find({ apiVersion, kind }, signal) {
      return known.get(apiVersion)?.get(kind) ?? (await load(apiVersion, signal)).get(kind);
    },
    async get(kind, signal) {
      const found = await discovery.find(kind, signal);
      if (found !== undefined) return found;
      throw new Fault(kubeFaults.not_found, `the cluster does not serve ${kind.kind} in ${kind.apiVersion}`);
    },
  };
  return discovery;
}

/** Returns the path of one object or, if `name` is omitted, of all objects in the namespace or cluster. */
export function pathOf({ base, plural, isNamespaced }: KubeResource, namespace?: string, name?: string): string {
  const within = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${base}${within}/${plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}
