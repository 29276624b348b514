import type { ClusterState } from "../cluster/cluster-state.ts";
import { mastersGroup, type User } from "./user.ts";

/** An action for which a user needs permission. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** The resource with its subresource, as in `pods/log`. Empty for paths. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The path of a request that does not address a resource, such as `/healthz`. */
  readonly path: string;
}

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Binding {
  readonly subjects?: readonly { kind: string; name: string; namespace?: string }[];
  readonly roleRef: { kind: string; name: string };
}

const api = "rbac.authorization.k8s.io";

/** Returns whether the cluster's roles allow a user to perform an action. */
export function isAllowed(state: ClusterState, user: User, access: Access): boolean {
  if (user.groups.includes(mastersGroup)) return true;
  return rulesFor(state, user, access.namespace).some((rule) => matches(rule, access));
}

/** Returns the rules that apply to a user in the whole cluster and, if a namespace is given, in that namespace. */
export function rulesFor(state: ClusterState, user: User, namespace: string): Rule[] {
  if (user.groups.includes(mastersGroup)) {
    return [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
  }
  const rules: Rule[] = [];
  for (const binding of state.list(`clusterrolebindings.${api}`)) {
    if (binds(binding as unknown as Binding, user, "")) rules.push(...rulesOf(state, binding["roleRef"], ""));
  }
  if (namespace === "") return rules;
  for (const binding of state.list(`rolebindings.${api}`, namespace)) {
    if (binds(binding as unknown as Binding, user, namespace)) rules.push(...rulesOf(state, binding["roleRef"], namespace));
  }
  return rules;
}

function rulesOf(state: ClusterState, role: Binding["roleRef"], namespace: string): Rule[] {
  const found =
    role.kind === "Role" ? state.find(`roles.${api}`, namespace, role.name) : state.find(`clusterroles.${api}`, "", role.name);
  return (found?.["rules"] ?? []) as Rule[];
}

function binds(binding: Binding, user: User, namespace: string): boolean {
  return (binding.subjects ?? []).some((subject) => {
    if (subject.kind === "User") return subject.name === user.name;
    if (subject.kind === "Group") return user.groups.includes(subject.name);
    return user.name === `system:serviceaccount:${subject.namespace ?? namespace}:${subject.name}`;
  });
}

function matches(rule: Rule, access: Access): boolean {
  if (!has(rule.verbs, access.verb)) return false;
  if (access.path !== "") {
    return (rule.nonResourceURLs ?? []).some(
      (url) => url === access.path || (url.endsWith("*") && access.path.startsWith(url.slice(0, -1))),
    );
  }
  const [, subresource] = access.resource.split("/");
  const isResource =
    has(rule.resources ?? [], access.resource) ||
    (subresource !== undefined && (rule.resources ?? []).includes(`*/${subresource}`));
  if (!has(rule.apiGroups ?? [], access.group) || !isResource) return false;
  return rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(access.name);
}

function has(list: readonly string[], word: string): boolean {
  return list.includes("*") || list.includes(word);
}

/** Returns whether a user already has every permission in the rules. Users cannot grant permissions that they do not have. */
export function coversAll(state: ClusterState, user: User, namespace: string, rules: readonly Rule[]): boolean {
  if (user.groups.includes(mastersGroup)) return true;
  const own = rulesFor(state, user, namespace);
  return rules.every((rule) =>
    rule.verbs.every((verb) => {
      const paths = (rule.nonResourceURLs ?? []).every((path) =>
        own.some((mine) => has(mine.verbs, verb) && has(mine.nonResourceURLs ?? [], path)),
      );
      const resources = (rule.resources ?? []).every((resource) =>
        (rule.apiGroups ?? []).every((group) =>
          (rule.resourceNames?.length ? rule.resourceNames : [""]).every((name) =>
            own.some((mine) => matches(mine, { verb, group, resource, namespace, name, path: "" })),
          ),
        ),
      );
      return paths && resources;
    }),
  );
}
