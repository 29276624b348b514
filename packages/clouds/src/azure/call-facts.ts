import type { CallFacts } from "../library/call-options.ts";

const verbs: Readonly<Record<string, string>> = { GET: "get", PUT: "createOrUpdate", PATCH: "update", DELETE: "delete" };

/** Read-only actions that Azure requires to be sent as POST requests. */
const reading = /^(list|retrieve|check)/i;

/** Returns the service and the action of a request to Azure Resource Manager, such as `virtualMachines.start`. */
export function describeCall(method: string, path: string): Omit<CallFacts, "attempt"> {
  const provider = path.slice(path.toLowerCase().lastIndexOf("/providers/") + "/providers/".length);
  const hasProvider = /\/providers\//i.test(path);
  const [service = "", ...rest] = hasProvider ? provider.split("/") : ["Microsoft.Resources", ...path.split("/").slice(1)];
  const isCollection = rest.length % 2 === 1;
  const last = rest.at(-1) ?? "";
  if (method === "POST" && isCollection) {
    const type = rest.at(-3) ?? rest.at(-2) ?? "";
    return { service, action: `${type}.${last}`, isMutating: !reading.test(last) };
  }
  const type = isCollection ? last : (rest.at(-2) ?? "");
  const verb = method === "GET" && isCollection ? "list" : (verbs[method] ?? method.toLowerCase());
  return { service, action: `${type}.${verb}`, isMutating: method !== "GET" };
}
