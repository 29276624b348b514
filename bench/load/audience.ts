import type { BenchPlatform } from "../processes/bench-platform.ts";
import { expectStatus, openConnection } from "./connection.ts";
import { createWatcher, type Watcher } from "./watcher.ts";

/** A group of watchers that watch the same path. */
export interface Audience {
  readonly watchers: readonly Watcher[];
  /** Position in the change log at which the watches start. */
  readonly from: string;
  /** Resolves to true once the watchers have received this many deliveries in total, or to false after a timeout. */
  waitFor(deliveries: number): Promise<boolean>;
  close(): void;
}

const patienceMs = 20_000;

/** Opens watchers that receive all changes from now on. */
export async function openAudience(
  platform: Pick<BenchPlatform, "server" | "adminKey">,
  path: string,
  count: number,
): Promise<Audience> {
  const client = openConnection(platform.server.url, platform.adminKey);
  const { body } = expectStatus(await client.send("GET", `${path}?pageSize=1`), 200);
  client.close();
  const { resourceVersion } = JSON.parse(body) as { resourceVersion: string };
  let received = 0;
  let onDelivery = (): void => undefined;
  const watchers = Array.from({ length: count }, () =>
    createWatcher(platform.server.url, platform.adminKey, path, resourceVersion, () => {
      received += 1;
      onDelivery();
    }),
  );
  await Promise.all(watchers.map((watcher) => watcher.open()));
  return {
    watchers,
    from: resourceVersion,
    waitFor: (deliveries) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), patienceMs);
        onDelivery = (): void => {
          if (received < deliveries) return;
          clearTimeout(timer);
          resolve(true);
        };
        onDelivery();
      }),
    close: () => watchers.forEach((watcher) => watcher.close()),
  };
}
