import { listAt, notFound, Refusal, textAt, type Resource } from "./reply.ts";

/** Throws if a resource refers to a network, subnet or address that does not exist. */
export function checkReferences(resources: ReadonlyMap<string, Resource>, collection: string, resource: Resource): void {
  const links = [textAt(resource, "network"), ...(collection === "routers" ? listNatLinks(resource) : [])];
  for (const link of links) {
    if (link !== "" && !resources.has(`compute/${toPath(link)}`)) throw notFound(toPath(link));
  }
}

/** Throws if another resource still refers to the resource to delete. */
export function checkDeletion(resources: ReadonlyMap<string, Resource>, path: string, resource: Resource): void {
  const users = [...resources].filter(([, other]) => {
    const links = [textAt(other, "network"), textAt(other, "subnetwork"), ...listNatLinks(other)];
    return other !== resource && links.some((link) => toPath(link) === path);
  });
  const [first] = users;
  if (first === undefined) return;
  throw new Refusal(400, `The resource '${path}' is already being used by '${first[0]}'`, "resourceInUseByAnotherResource");
}

function listNatLinks(router: Resource): string[] {
  return listAt(router, "nats").flatMap((nat) => [
    ...(Array.isArray(nat["natIps"]) ? nat["natIps"].map(String) : []),
    ...listAt(nat, "subnetworks").map((subnet) => textAt(subnet, "name")),
  ]);
}

function toPath(link: string): string {
  return link.replace(/^.*\/(?=projects\/)/, "");
}
