import { notFound, objectAt, type Resource, type Service } from "./reply.ts";

/** Creates a local Resource Manager service with one project and its IAM policy. */
export function createProjects(): Service {
  let policy: Resource = { version: 1, etag: "BwAAAAAAAAE=", bindings: [] };
  return ({ method, path, body }) => {
    const [, id = "", action] = /^projects\/([^/:]+)(?::(\w+))?$/.exec(path) ?? [];
    if (id === "") throw notFound(path);
    if (action === "getIamPolicy") return policy;
    if (action === "setIamPolicy") return (policy = { ...objectAt(body, "policy"), etag: `BwA${Date.now().toString(36)}=` });
    if (method !== "GET") throw notFound(path);
    return {
      projectId: id,
      projectNumber: "123456789012",
      name: id,
      lifecycleState: "ACTIVE",
      createTime: "2026-01-01T00:00:00Z",
    };
  };
}
