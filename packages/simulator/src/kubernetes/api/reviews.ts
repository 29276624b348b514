import { isAllowed, rulesFor, type Access } from "../rbac/authorize.ts";
import type { User } from "../rbac/user.ts";
import type { Answer, Call } from "./call.ts";
import { ok } from "./call.ts";
import { parseBody } from "./patch.ts";

/** Handles reviews of permissions and of the caller's identity. */
export function answerReview(call: Call, kind: string): Answer {
  const body = parseBody(call) as any;
  const spec = body?.spec ?? {};
  switch (kind) {
    case "SelfSubjectReview":
      return ok({ ...body, metadata: {}, status: { userInfo: { username: call.user.name, groups: call.user.groups } } }, 201);
    case "SelfSubjectRulesReview":
      return ok({ ...body, metadata: {}, spec: {}, status: rulesStatus(call, spec.namespace ?? "") }, 201);
    case "SelfSubjectAccessReview":
      return ok({ ...body, metadata: {}, status: accessStatus(call, call.user, spec) }, 201);
    default:
      return ok(
        { ...body, metadata: {}, status: accessStatus(call, { name: spec.user ?? "", groups: spec.groups ?? [] }, spec) },
        201,
      );
  }
}

function accessStatus({ cluster }: Call, user: User, spec: any): object {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const access: Access = {
    verb: resource?.verb ?? path?.verb ?? "",
    group: resource?.group ?? "",
    resource: resource?.subresource ? `${resource.resource}/${resource.subresource}` : (resource?.resource ?? ""),
    namespace: resource?.namespace ?? "",
    name: resource?.name ?? "",
    path: path?.path ?? "",
  };
  return { allowed: isAllowed(cluster.state, user, access) };
}

function rulesStatus({ cluster, user }: Call, namespace: string): object {
  const rules = rulesFor(cluster.state, user, namespace);
  return {
    resourceRules: rules.filter(({ resources }) => resources !== undefined),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
