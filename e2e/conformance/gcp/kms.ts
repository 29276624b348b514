import { dropNulls, mergePatch, notFound, objectAt, Refusal, type Resource, type Service } from "./reply.ts";

/** Creates a local Cloud KMS service with key rings, keys, key versions and policies. Key rings and keys can never be deleted. */
export function createKms(resources: Map<string, Resource>): Service {
  const policies = new Map<string, Resource>();
  const list = (parent: string): Resource[] =>
    [...resources].flatMap(([key, each]) => (new RegExp(`^kms/${parent}/[^/]+$`).test(key) ? [each] : []));
  return ({ method, path, query, body }) => {
    const [name = "", action] = path.split(":");
    if (action === "getIamPolicy") return policies.get(name) ?? { version: 1, etag: "ACAB" };
    if (action === "setIamPolicy") {
      policies.set(name, { ...objectAt(body, "policy"), etag: "ACAC" });
      return policies.get(name) ?? {};
    }
    if (action === "destroy") {
      const version = resources.get(`kms/${name}`) ?? {};
      return Object.assign(version, { state: "DESTROY_SCHEDULED", destroyTime: "2026-01-31T00:00:00Z" });
    }
    if (path.endsWith("/keyRings")) {
      if (method === "GET") return { keyRings: list(path) };
      return put(`${path}/${query.get("keyRingId")}`, {});
    }
    if (path.endsWith("/cryptoKeys")) {
      if (method === "GET") return { cryptoKeys: list(path) };
      const key = `${path}/${query.get("cryptoKeyId")}`;
      const version = put(`${key}/cryptoKeyVersions/1`, {
        state: "ENABLED",
        protectionLevel: "SOFTWARE",
        algorithm: "GOOGLE_SYMMETRIC_ENCRYPTION",
      });
      return put(key, {
        purpose: "ENCRYPT_DECRYPT",
        versionTemplate: { protectionLevel: "SOFTWARE", algorithm: "GOOGLE_SYMMETRIC_ENCRYPTION" },
        destroyScheduledDuration: "2592000s",
        nextRotationTime: "2026-04-01T00:00:00Z",
        primary: version,
        ...dropNulls(body),
      });
    }
    if (path.endsWith("/cryptoKeyVersions")) return { cryptoKeyVersions: list(path) };
    const found = resources.get(`kms/${path}`);
    if (found === undefined) throw notFound(path);
    if (method === "DELETE") throw new Refusal(400, "Key rings and keys cannot be deleted");
    if (method !== "PATCH") return found;
    const changed = mergePatch(found, body);
    for (const field of (query.get("updateMask") ?? "").split(",")) if (!(field in body)) delete changed[field];
    if ("labels" in body) changed["labels"] = body["labels"];
    resources.set(`kms/${path}`, changed);
    return changed;
  };

  function put(name: string, content: Resource): Resource {
    if (resources.has(`kms/${name}`)) throw new Refusal(409, `${name} already exists`, "alreadyExists");
    const resource = { ...content, name, createTime: "2026-01-01T00:00:00Z" };
    resources.set(`kms/${name}`, resource);
    return resource;
  }
}
