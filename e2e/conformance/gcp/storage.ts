import { dropNulls, mergePatch, notFound, objectAt, Refusal, textAt, type Resource, type Service } from "./reply.ts";

/** Creates a local Cloud Storage service with buckets and their policies. All buckets are empty. */
export function createStorage(resources: Map<string, Resource>): Service {
  const policies = new Map<string, Resource>();
  let generation = 1;

  function complete(bucket: Resource): Resource {
    const iam = objectAt(bucket, "iamConfiguration");
    const uniform = objectAt(iam, "uniformBucketLevelAccess");
    const locked = uniform["enabled"] === true ? { lockedTime: "2026-04-01T00:00:00Z" } : {};
    const access = { enabled: uniform["enabled"] === true, ...locked };
    const retention = objectAt(bucket, "retentionPolicy");
    generation += 1;
    return {
      storageClass: "STANDARD",
      softDeletePolicy: { retentionDurationSeconds: "604800", effectiveTime: "2026-01-01T00:00:00Z" },
      ...bucket,
      kind: "storage#bucket",
      locationType: "region",
      location: textAt(bucket, "location").toUpperCase(),
      projectNumber: "123456789012",
      metageneration: String(generation),
      timeCreated: "2026-01-01T00:00:00Z",
      updated: new Date(Date.UTC(2026, 0, 1) + generation).toISOString(),
      iamConfiguration: {
        ...iam,
        bucketPolicyOnly: access,
        uniformBucketLevelAccess: access,
        publicAccessPrevention: textAt(iam, "publicAccessPrevention") || "inherited",
      },
      ...("retentionPolicy" in bucket ? { retentionPolicy: { effectiveTime: "2026-01-01T00:00:00Z", ...retention } } : {}),
    };
  }

  return ({ method, path, body }) => {
    if (path === "b") {
      if (method === "GET") return { items: [...resources].flatMap(([key, each]) => (key.startsWith("storage/") ? [each] : [])) };
      const name = textAt(body, "name");
      if (resources.has(`storage/${name}`)) throw new Refusal(409, `The bucket ${name} already exists`, "conflict");
      const bucket = complete({ ...dropNulls(body), id: name, selfLink: `https://www.googleapis.com/storage/v1/b/${name}` });
      resources.set(`storage/${name}`, bucket);
      policies.set(name, { kind: "storage#policy", etag: "CAE=", version: 1, bindings: listProjectRoles() });
      return bucket;
    }
    const [, name = "", part = ""] = /^b\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    const bucket = resources.get(`storage/${name}`);
    if (bucket === undefined) throw notFound(path);
    if (part === "o") return { kind: "storage#objects" };
    if (part === "iam") {
      if (method === "PUT") policies.set(name, { ...body, kind: "storage#policy", etag: `CAE${String((generation += 1))}=` });
      return policies.get(name) ?? {};
    }
    if (part === "lockRetentionPolicy") {
      bucket["retentionPolicy"] = { ...objectAt(bucket, "retentionPolicy"), isLocked: true };
      return bucket;
    }
    if (part !== "") throw notFound(path);
    if (method === "DELETE") {
      resources.delete(`storage/${name}`);
      return {};
    }
    if (method === "PATCH" || method === "PUT") {
      const { lifecycle } = body;
      const changed = complete(method === "PUT" ? { ...bucket, ...dropNulls(body) } : mergePatch(bucket, body));
      // A patch replaces the list of lifecycle rules as a whole.
      if (lifecycle !== undefined && lifecycle !== null) changed["lifecycle"] = lifecycle;
      checkRetention(bucket, changed);
      resources.set(`storage/${name}`, changed);
      return changed;
    }
    return bucket;
  };
}

/** Throws if a locked retention policy would be shortened or removed. Such a policy can only be extended. */
function checkRetention(before: Resource, after: Resource): void {
  const [old, next] = [objectAt(before, "retentionPolicy"), objectAt(after, "retentionPolicy")];
  if (old["isLocked"] !== true) return;
  if (Number(next["retentionPeriod"] ?? 0) < Number(old["retentionPeriod"])) {
    throw new Refusal(403, "The retention policy is locked and cannot be reduced", "forbidden");
  }
}

/** Returns the roles that Cloud Storage grants on every new bucket. */
function listProjectRoles(): Resource[] {
  return [
    { role: "roles/storage.legacyBucketOwner", members: ["projectEditor:acme-1", "projectOwner:acme-1"] },
    { role: "roles/storage.legacyBucketReader", members: ["projectViewer:acme-1"] },
  ];
}
