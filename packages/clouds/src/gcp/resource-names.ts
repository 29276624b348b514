/**
 * Returns the part of a resource's address after the API version, such as `projects/p/global/networks/n`. Terraform uses it as the
 * resource's id.
 */
export function toResourceId(selfLink = ""): string {
  return selfLink.replace(/^https?:\/\/[^/]+\/(?:[a-z]+\/)?v\d+(?:beta\d*)?\//, "");
}

/** Returns the last part of a resource's name or address. */
export function lastPart(name = ""): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
