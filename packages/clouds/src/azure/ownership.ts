import { ownerTag, type Held } from "../account-view.ts";

/** Returns the owner of a resource from its tags. */
export function ownerOf({ tags }: { readonly tags?: Readonly<Record<string, string>> }): Held {
  const owner = tags?.[ownerTag];
  return owner === undefined ? {} : { owner };
}

/** Returns whether a resource is in a region. Azure also returns display names such as `West Europe`. */
export function isIn({ location = "" }: { readonly location?: string }, region: string): boolean {
  return location.toLowerCase().replaceAll(" ", "") === region;
}
