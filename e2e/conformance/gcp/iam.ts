import { createHash } from "node:crypto";
import { dropNulls, notFound, objectAt, Refusal, textAt, type Resource, type Service } from "./reply.ts";

/** Creates a local IAM service with service accounts and their policies. */
export function createIam(resources: Map<string, Resource>): Service {
  const policies = new Map<string, Resource>();
  return ({ method, path, body }) => {
    const [, project = "", email, action] = /^projects\/([^/]+)\/serviceAccounts(?:\/([^/:]+))?(?::(\w+))?$/.exec(path) ?? [];
    if (project === "") throw notFound(path);
    if (email === undefined) {
      if (method === "GET") return { accounts: [...resources].flatMap(([key, each]) => (key.startsWith("iam/") ? [each] : [])) };
      const name = `${textAt(body, "accountId")}@${project}.iam.gserviceaccount.com`;
      if (!/^[a-z]([-a-z0-9]{4,28}[a-z0-9])@/.test(name)) throw new Refusal(400, `The account id of ${name} is invalid`);
      if (resources.has(`iam/${name}`)) throw new Refusal(409, `Service account ${name} already exists`, "alreadyExists");
      const uniqueId = BigInt(`0x${createHash("sha1").update(name).digest("hex").slice(0, 16)}`).toString();
      const account = {
        ...dropNulls(objectAt(body, "serviceAccount")),
        name: `projects/${project}/serviceAccounts/${name}`,
        projectId: project,
        uniqueId,
        email: name,
        oauth2ClientId: uniqueId,
        etag: "MDEwMjE5MjA=",
      };
      resources.set(`iam/${name}`, account);
      return account;
    }
    // Clients can also read and write the policies of service accounts in other projects, although `resources` does not contain these
    // accounts.
    if (action === "getIamPolicy") return policies.get(email) ?? { version: 1, etag: "ACAB" };
    if (action === "setIamPolicy") {
      policies.set(email, { ...objectAt(body, "policy"), etag: "ACAC" });
      return policies.get(email) ?? {};
    }
    const account = resources.get(`iam/${email}`);
    if (account === undefined) throw notFound(path);
    if (method === "PATCH") Object.assign(account, objectAt(body, "serviceAccount"));
    if (method === "DELETE") resources.delete(`iam/${email}`);
    return method === "DELETE" ? {} : account;
  };
}
