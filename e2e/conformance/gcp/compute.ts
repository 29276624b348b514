import { createHash } from "node:crypto";
import { computeDefaults } from "./compute-defaults.ts";
import { checkDeletion, checkReferences } from "./compute-references.ts";
import { dropNulls, mergePatch, notFound, objectAt, Refusal, textAt, type Resource, type Service } from "./reply.ts";

const base = "https://www.googleapis.com/compute/v1/";
const pathPattern =
  /^(projects\/[^/]+\/(?:global|aggregated|regions\/[^/]+|zones\/[^/]+))(?:\/([a-zA-Z]+)(?:\/([^/]+)(?:\/([a-zA-Z]+))?)?)?$/;

/**
 * Creates a local Compute Engine service with networks, subnets, routers, firewall rules, addresses, disks and snapshots. Operations finish
 * immediately.
 */
export function createCompute(resources: Map<string, Resource>): Service {
  let count = 0;

  function finish(scope: string, type: string, target: string): Resource {
    const name = `operation-${String((count += 1))}`;
    const selfLink = `${base}${scope}/operations/${name}`;
    return {
      kind: "compute#operation",
      name,
      operationType: type,
      status: "DONE",
      progress: 100,
      targetLink: base + target,
      selfLink,
    };
  }

  function list(prefix: string): Resource[] {
    return [...resources].flatMap(([key, each]) => (key.startsWith(`compute/${prefix}/`) ? [each] : []));
  }

  /** Stores a resource together with the fields that the API computes. */
  function store(collection: string, path: string, resource: Resource): void {
    const complete: Resource = { ...computeDefaults(collection, resource), selfLink: base + path };
    // A request that changes a subnet or the labels of a resource must contain the fingerprint that the client last read.
    const fingerprint = createHash("sha1").update(JSON.stringify(complete)).digest("base64").slice(0, 12);
    const labels = createHash("sha1")
      .update(JSON.stringify(objectAt(complete, "labels")))
      .digest("base64")
      .slice(0, 12);
    if (collection === "subnetworks") complete["fingerprint"] = fingerprint;
    if ("labels" in complete || ["addresses", "disks", "snapshots"].includes(collection)) complete["labelFingerprint"] = labels;
    checkReferences(resources, collection, complete);
    resources.set(`compute/${path}`, complete);
  }

  return ({ method, path, query, body }) => {
    const [, scope = "", collection = "", name, action] = pathPattern.exec(path) ?? [];
    if (collection === "operations") return finish(scope, "wait", scope);
    if (scope.endsWith("/aggregated")) {
      const project = scope.replace("/aggregated", "");
      return {
        items: { all: { [collection]: list(project).filter((each) => textAt(each, "selfLink").includes(`/${collection}/`)) } },
      };
    }
    if (collection === "instanceGroupManagers") return { items: list(`${scope}/${collection}`) };
    if (name === undefined) {
      if (method === "GET") return { items: list(`${scope}/${collection}`) };
      const target = `${scope}/${collection}/${textAt(body, "name")}`;
      if (resources.has(`compute/${target}`)) throw new Refusal(409, `The resource '${target}' already exists`, "alreadyExists");
      const [, place = "", where = ""] = /(regions|zones)\/([^/]+)$/.exec(scope) ?? [];
      const located =
        place === "" ? {} : { [place.slice(0, -1)]: `${base}${scope.replace(/(regions|zones)\/[^/]+$/, `${place}/${where}`)}` };
      count += 1;
      store(collection, target, {
        ...dropNulls(body),
        ...located,
        id: String(7e18 + count),
        creationTimestamp: "2026-01-01T00:00:00.000-08:00",
      });
      return finish(scope, "insert", target);
    }
    const target = `${scope}/${collection}/${name}`;
    const found = resources.get(`compute/${target}`);
    if (found === undefined) throw notFound(target);
    const save = (changed: Resource): Resource => {
      store(collection, target, changed);
      return finish(scope, "update", target);
    };
    if (action === "setLabels") {
      checkFingerprint(found, "labelFingerprint", body);
      return save({ ...found, labels: objectAt(body, "labels") });
    }
    if (action === "expandIpCidrRange") return save({ ...found, ...body });
    // The provider omits a value that is false.
    if (action === "setPrivateIpGoogleAccess") return save({ ...found, privateIpGoogleAccess: false, ...body });
    if (action === "resize") {
      if (Number(body["sizeGb"]) <= Number(found["sizeGb"]))
        throw new Refusal(400, "The new size must be larger than the old size");
      return save({ ...found, sizeGb: String(body["sizeGb"]) });
    }
    if (action === "createSnapshot") {
      store("snapshots", `${scope.replace(/\/zones\/.*$/, "/global")}/snapshots/${textAt(body, "name")}`, {
        ...body,
        status: "READY",
      });
      return finish(scope, "createSnapshot", target);
    }
    if (action !== undefined) throw notFound(path);
    if (method === "PATCH") {
      if (collection === "subnetworks") checkFingerprint(found, "fingerprint", body);
      // For a disk, the `paths` query parameter lists the fields to change. A patch replaces lists, such as a router's NAT gateways, as a
      // whole.
      const paths = query.getAll("paths").flatMap((each) => each.split(","));
      const patch = paths.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => paths.includes(key)));
      return save(mergePatch(found, patch));
    }
    if (method === "PUT") return save({ ...found, ...dropNulls(body) });
    if (method === "DELETE") {
      checkDeletion(resources, target, found);
      resources.delete(`compute/${target}`);
      return finish(scope, "delete", target);
    }
    if (collection === "networks") {
      const subnets = list(scope.replace(/\/global$/, "")).filter((each) => textAt(each, "network").endsWith(`/${target}`));
      return {
        ...found,
        subnetworks: subnets.map((each) => textAt(each, "selfLink")).filter((link) => link.includes("/subnetworks/")),
      };
    }
    return found;
  };
}

function checkFingerprint(found: Resource, name: string, body: Resource): void {
  if (body[name] === found[name]) return;
  throw new Refusal(412, `The ${name} ${String(body[name])} is not the resource's current one`, "conditionNotMet");
}
