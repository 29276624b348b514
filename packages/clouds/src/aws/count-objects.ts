import type { ListObjectVersionsCommandOutput } from "@aws-sdk/client-s3";
import type { AwsApi } from "./api.ts";

/** Counting stops at `atMost`, because each page requires another call and the exact count for a large bucket does not matter. */
const usual = { atMost: 100_000, perPage: 1000 };

/**
 * Counts the objects in a bucket, up to `atMost`. Returns 0 if the bucket does not exist. Old versions and delete markers count, because a
 * bucket that contains any of them cannot be deleted.
 */
export async function countObjects(api: AwsApi, bucket: string, { atMost, perPage } = usual): Promise<number> {
  return api.call(`count the objects in the bucket ${bucket}`, async (clients) => {
    const { ListObjectVersionsCommand } = await import("@aws-sdk/client-s3");
    const client = await clients.s3();
    let count = 0;
    let from: { readonly KeyMarker?: string; readonly VersionIdMarker?: string } | undefined = {};
    try {
      while (from !== undefined && count < atMost) {
        const asked = new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: Math.min(perPage, atMost - count), ...from });
        const page: ListObjectVersionsCommandOutput = await client.send(asked);
        const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
        count += Versions.length + DeleteMarkers.length;
        from =
          IsTruncated === true && NextKeyMarker !== undefined
            ? { KeyMarker: NextKeyMarker, ...(NextVersionIdMarker === undefined ? {} : { VersionIdMarker: NextVersionIdMarker }) }
            : undefined;
      }
    } catch (error) {
      if ((error as { readonly name?: string }).name !== "NoSuchBucket") throw error;
      return 0;
    }
    return count;
  });
}
