import type { AzureApi } from "./api.ts";
import { createChannel } from "./channel.ts";
import type { CredentialSource } from "./credentials.ts";
import { blobsOf } from "./endpoints.ts";
import type { StorageAccount } from "./models.ts";
import { operations } from "./operations.ts";
import { isMissing, toCloudFault } from "./refusals.ts";

/** Counting stops at `atMost`, because each page requires another call and the exact count for a large container does not matter. */
const usual = { atMost: 100_000, perPage: 5000 };

const storageScope = "https://storage.azure.com/.default";
const storageVersion = "2023-11-03";

/**
 * Counts the blobs in a container and their old versions, up to `atMost`. `bucket` is either a container's id (`account/container`) or
 * the name of a storage account, which stands for all its containers. Returns 0 if the account or container does not exist in the
 * subscription.
 */
export async function countObjects(
  api: AzureApi,
  source: CredentialSource,
  bucket: string,
  { atMost, perPage } = usual,
): Promise<number> {
  const { account, container } = readBucket(bucket);
  const doing = `count the blobs in ${bucket}`;
  const accounts = await api.list<StorageAccount>(doing, operations.listStorageAccounts);
  if (!accounts.some(({ name }) => name === account)) return 0;
  const send = createChannel(source, storageScope);
  const list = async (path: string, query: Readonly<Record<string, string>>): Promise<string> => {
    const url = `${blobsOf(api.endpoints, account)}/${path}?${new URLSearchParams(query).toString()}`;
    const { bodyAsText } = await send("GET", url, { headers: { accept: "application/xml", "x-ms-version": storageVersion } });
    return bodyAsText ?? "";
  };
  try {
    const containers = container === "" ? readAll(await list("", { comp: "list" }), "Name") : [container];
    let count = 0;
    for (const name of containers) {
      let marker: string | undefined = "";
      while (marker !== undefined && count < atMost) {
        const more: Readonly<Record<string, string>> = marker === "" ? {} : { marker };
        const maxresults = String(Math.min(perPage, atMost - count));
        const page = await list(encodeURIComponent(name), {
          restype: "container",
          comp: "list",
          include: "versions",
          maxresults,
          ...more,
        });
        count += readAll(page, "Name").length;
        [marker] = readAll(page, "NextMarker").filter((text) => text !== "");
      }
    }
    return count;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw toCloudFault(error, doing);
  }
}

function readBucket(bucket: string): { readonly account: string; readonly container: string } {
  const id = /\/storageAccounts\/(?<account>[^/]+)(\/blobServices\/default\/containers\/(?<container>[^/]+))?$/i.exec(
    bucket,
  )?.groups;
  const [account = "", container = ""] = id === undefined ? bucket.split("/") : [id["account"], id["container"]];
  return { account, container };
}

/** Returns the text of all elements with the given name. Blob names cannot contain markup, because it is escaped. */
function readAll(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}(?: [^>]*)?>([^<]*)</${element}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll("&amp;", "&"),
  );
}
