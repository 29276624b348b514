import type { ApiCall } from "../../api/api-service.ts";
import { takePage } from "../../api/pages.ts";
import { invalid, refuse } from "./errors.ts";

/** The page sizes of a service: the name of the request parameter, the default size and the maximum. */
export interface PageSizes {
  readonly size: string;
  readonly usual: number;
  readonly most: number;
}

/** Page sizes of Compute Engine. */
export const computePages: PageSizes = { size: "maxResults", usual: 500, most: 500 };

/** Returns one page of a list and the token for the next page. */
export function pageOf<Item>(
  call: ApiCall,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { size: name, usual, most }: PageSizes,
): { readonly items: readonly Item[]; readonly nextPageToken?: string } {
  const given = call.query.get(name);
  const size = given === null ? usual : Number(given);
  // Compute Engine rejects larger pages. Zero means the default.
  if (!Number.isInteger(size) || size < 0 || size > most) {
    refuse(
      invalid(
        `Invalid value for field '${name}': '${(given ?? "").slice(0, 50)}'. Values must be within the range: [0, ${most}]`,
      ),
    );
  }
  const query = [call.caller.tenant, call.parameters, call.query.get("filter") ?? ""];
  const request = { size: size === 0 ? usual : size, token: call.query.get("pageToken") ?? "", query };
  const page = takePage(call.identity, items, keyOf, request);
  if (page === undefined) return refuse(invalid("Invalid value for field 'pageToken'."));
  return { items: page.items, ...(page.next === undefined ? {} : { nextPageToken: page.next }) };
}
