import { apiVersionOf, type Kind } from "../kinds/kinds.ts";
import type { Answer, Call } from "./call.ts";
import { ok } from "./call.ts";
import { noSuchPath } from "./status-error.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

interface Virtual {
  readonly of: string;
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Subresources other than `status` and `scale`. */
const virtual: readonly Virtual[] = [
  { of: "pods", name: "binding", kind: "Binding", verbs: ["create"] },
  { of: "pods", name: "eviction", kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] },
  { of: "pods", name: "exec", kind: "PodExecOptions", verbs: ["create", "get"] },
  { of: "pods", name: "attach", kind: "PodAttachOptions", verbs: ["create", "get"] },
  { of: "pods", name: "portforward", kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  { of: "pods", name: "log", kind: "Pod", verbs: ["get"] },
  {
    of: "serviceaccounts",
    name: "token",
    kind: "TokenRequest",
    group: "authentication.k8s.io",
    version: "v1",
    verbs: ["create"],
  },
  { of: "namespaces", name: "finalize", kind: "Namespace", verbs: ["update"] },
];

/** Kinds that clients post to query permissions or identities. They are never stored. */
export const reviewKinds = [
  { group: "authorization.k8s.io", resource: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview", namespaced: false },
  { group: "authorization.k8s.io", resource: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview", namespaced: false },
  { group: "authorization.k8s.io", resource: "subjectaccessreviews", kind: "SubjectAccessReview", namespaced: false },
  { group: "authorization.k8s.io", resource: "localsubjectaccessreviews", kind: "LocalSubjectAccessReview", namespaced: true },
  { group: "authentication.k8s.io", resource: "selfsubjectreviews", kind: "SelfSubjectReview", namespaced: false },
] as const;

interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Serves `/api`, `/apis` and the paths below them, down to API versions. Returns undefined for other paths. */
export function answerDiscovery(call: Call): Answer | undefined {
  const parts = call.path.split("/").filter((part) => part !== "");
  const versions = listVersions(call);
  const format = /application\/json;g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(
    call.headers["accept"] ?? "",
  );
  if (parts.length === 1 && (parts[0] === "api" || parts[0] === "apis")) {
    const isCore = parts[0] === "api";
    const chosen = [...versions.keys()].filter((name) => !name.includes("/") === isCore);
    if (format !== null) return aggregated(chosen, versions, format[1] ?? "v2");
    if (isCore) return ok({ kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
    return ok({ kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(chosen).map(printGroup) });
  }
  if (parts[0] === "apis" && parts.length === 2) {
    const group = groupsOf([...versions.keys()]).find(([name]) => name === parts[1]);
    if (group === undefined) throw noSuchPath();
    return ok({ kind: "APIGroup", apiVersion: "v1", ...printGroup(group) });
  }
  const isVersion = (parts[0] === "api" && parts.length === 2) || (parts[0] === "apis" && parts.length === 3);
  if (!isVersion) return undefined;
  const groupVersion = parts.slice(1).join("/");
  const resources = versions.get(groupVersion);
  if (resources === undefined) throw noSuchPath();
  return ok({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources });
}

function listVersions({ cluster }: Call): Map<string, Resource[]> {
  const versions = new Map<string, Resource[]>([["v1", []]]);
  const add = (groupVersion: string, resource: Resource): void => {
    const list = versions.get(groupVersion) ?? [];
    versions.set(groupVersion, [...list, resource]);
  };
  for (const kind of cluster.kinds.list()) for (const resource of resourcesOf(kind)) add(apiVersionOf(kind), resource);
  for (const { group, resource, kind, namespaced } of reviewKinds) {
    add(`${group}/v1`, { name: resource, singularName: kind.toLowerCase(), namespaced, kind, verbs: ["create"] });
  }
  return versions;
}

function resourcesOf(kind: Kind): Resource[] {
  const { resource, singular, namespaced, shortNames, categories } = kind;
  const main: Resource = {
    name: resource,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: resource === "namespaces" ? verbs.filter((verb) => verb !== "deletecollection") : verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  const changes = ["get", "patch", "update"];
  const below = kind.subresources.map((name) =>
    name === "scale"
      ? {
          name: `${resource}/scale`,
          singularName: "",
          namespaced,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: changes,
        }
      : { name: `${resource}/${name}`, singularName: "", namespaced, kind: kind.kind, verbs: changes },
  );
  const others = kind.group === "" ? virtual.filter(({ of }) => of === resource) : [];
  return [
    main,
    ...below,
    ...others.map(({ of, name, ...rest }) => ({ ...rest, name: `${of}/${name}`, singularName: "", namespaced })),
  ];
}

function groupsOf(groupVersions: readonly string[]): [group: string, versions: string[]][] {
  const groups = new Map<string, string[]>();
  for (const [group = "", version = ""] of groupVersions.filter((name) => name.includes("/")).map((name) => name.split("/"))) {
    groups.set(group, [...(groups.get(group) ?? []), version]);
  }
  return [...groups].map(([group, versions]) => [group, versions.toSorted(byPreference)]);
}

function printGroup([name, versions]: [string, string[]]): object {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

// Orders versions by preference: v2, v1, v1beta2, v1alpha1.
function byPreference(left: string, right: string): number {
  const rank = (version: string): number[] => {
    const [, major = "0", stage = "", minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+)?)?$/.exec(version) ?? [];
    return [stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
  };
  const [one, other] = [rank(left), rank(right)];
  for (let index = 0; index < 3; index++) if (one[index] !== other[index]) return (other[index] ?? 0) - (one[index] ?? 0);
  return 0;
}

function aggregated(chosen: readonly string[], versions: ReadonlyMap<string, readonly Resource[]>, format: string): Answer {
  const isCore = chosen.every((name) => !name.includes("/"));
  const groups: [string, string[]][] = isCore ? [["", ["v1"]]] : groupsOf(chosen);
  const items = groups.map(([group, names]) => ({
    metadata: group === "" ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
    versions: names.map((version) => {
      const resources = versions.get(group === "" ? version : `${group}/${version}`) ?? [];
      return {
        version,
        freshness: "Current",
        resources: resources.filter(({ name }) => !name.includes("/")).map((one) => nested(one, resources, group, version)),
      };
    }),
  }));
  const body = { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${format}`, metadata: {}, items };
  return { code: 200, body, contentType: `application/json;g=apidiscovery.k8s.io;v=${format};as=APIGroupDiscoveryList` };
}

function nested(resource: Resource, all: readonly Resource[], group: string, version: string): object {
  const below = all
    .filter(({ name }) => name.startsWith(`${resource.name}/`))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    resource: resource.name,
    responseKind: { group, version, kind: resource.kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singularName,
    verbs: resource.verbs,
    ...(resource.shortNames && { shortNames: resource.shortNames }),
    ...(resource.categories && { categories: resource.categories }),
    ...(below.length > 0 && {
      subresources: below.map((one) => ({
        subresource: one.name.slice(resource.name.length + 1),
        responseKind: { group: one.group ?? group, version: one.version ?? version, kind: one.kind },
        verbs: one.verbs,
      })),
    }),
  };
}
