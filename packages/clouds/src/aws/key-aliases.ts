import { callJson } from "./call-json.ts";
import type { CredentialSource } from "./credentials.ts";
import type { AwsEndpoints } from "./endpoints.ts";
import type { TaggedResource } from "./owned-resources.ts";

/** Lists the aliases of KMS keys in `resources`. Aliases have no tags, so they are found through their keys. */
export async function listKeyAliases(
  source: CredentialSource,
  place: { readonly region: string; readonly endpoints: AwsEndpoints },
  resources: readonly TaggedResource[],
): Promise<TaggedResource[]> {
  const keys = resources.filter(({ type }) => type === "aws_kms_key");
  const found = await Promise.all(
    keys.map(async ({ id: key }) => {
      const names = await listNames(source, place, key);
      return names.map((id) => ({ type: "aws_kms_alias", id, tags: {}, names: [key] }));
    }),
  );
  return found.flat();
}

async function listNames(
  source: CredentialSource,
  place: { readonly region: string; readonly endpoints: AwsEndpoints },
  key: string,
): Promise<string[]> {
  const names: string[] = [];
  let marker: string | undefined;
  do {
    const page = await listPage(source, place, { KeyId: key, ...(marker === undefined ? {} : { Marker: marker }) });
    const own = (page.Aliases ?? []).filter(({ TargetKeyId }) => TargetKeyId === key);
    names.push(...own.flatMap(({ AliasName }) => (AliasName === undefined ? [] : [AliasName])));
    marker = page.Truncated === true ? page.NextMarker : undefined;
  } while (marker !== undefined);
  return names;
}

interface AliasPage {
  readonly Aliases?: readonly { readonly AliasName?: string; readonly TargetKeyId?: string }[];
  readonly Truncated?: boolean;
  readonly NextMarker?: string;
}

/** Returns an empty page for a key that no longer exists, because the tagging API may list a deleted key for a while. */
async function listPage(
  source: CredentialSource,
  place: { readonly region: string; readonly endpoints: AwsEndpoints },
  body: object,
): Promise<AliasPage> {
  const call = { service: "kms", target: "TrentService.ListAliases", doing: "list the aliases of a key", body };
  try {
    return await callJson(source, { ...place, ...call });
  } catch (error) {
    if (((error as Error).cause as Error | undefined)?.name === "NotFoundException") return {};
    throw error;
  }
}
