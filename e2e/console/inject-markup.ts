import type { Page } from "playwright-core";

/** Markup and fragments that could run a script from within an attribute, a link or right-to-left text. */
export const poison =
  "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\" onmouseover=\"document.title='owned'\u202E";

/** Fields that determine where and whether something is shown. The page treats all other fields as text. */
const structure =
  /^(uid|name|parent|project|kind|phase|state|status|type|action|role|verb|cloud|purpose|outcome|operation|code|account|network|cluster|user|key|task|nextPageToken|resourceVersion|cidr|.*Uid|.*Kind|.*At|.*Task|at)$/;

/**
 * Injects markup into every text field of every response that a page receives. Names and other fields that determine what is shown stay
 * unchanged. The event stream reports the existing entities and then ends.
 */
export async function injectMarkup(page: Page): Promise<void> {
  await page.route("**/v1/**", async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith("/session")) return route.continue();
    if (pathname.endsWith("/watch")) {
      const body = searchParams.has("resourceVersion") ? ": nothing new\n\n" : await readStream(page);
      return route.fulfill({ contentType: "text/event-stream", body });
    }
    const response = await route.fetch();
    const text = await response.text();
    const isJson = (response.headers()["content-type"] ?? "").includes("json");
    return route.fulfill({ response, body: isJson ? JSON.stringify(spoil(JSON.parse(text))) : text });
  });
}

const collections = {
  accounts: "Account",
  networks: "Network",
  clusters: "Cluster",
  storages: "Storage",
  environments: "Environment",
  operations: "Operation",
  rolebindings: "RoleBinding",
};

interface Listed {
  readonly metadata?: { readonly name: string };
}

/** Renders the event stream of all existing entities. */
async function readStream(page: Page): Promise<string> {
  const list = async (path: string): Promise<Listed[]> =>
    ((await (await page.request.get(`/v1/projects/default/${path}?pageSize=200`)).json()) as { items: Listed[] }).items;
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, kind: "", resourceVersion: "1.0", ...more })}\n\n`;
  const clusters = (await list("clusters")).map(({ metadata }) => [`clusters/${metadata?.name ?? ""}/nodepools`, "NodePool"]);
  const lists = await Promise.all(
    [...Object.entries(collections), ...clusters].map(async ([path = "", kind]) =>
      (await list(path)).map((object) => event("ADDED", { kind, object: spoil(object) })),
    ),
  );
  const happened = (await list("events")).slice(0, 20).map((object) => event("ADDED", { kind: "Event", object: spoil(object) }));
  return [...lists.flat(), event("SYNCED", {}), ...happened].join("");
}

function spoil(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => spoil(item, key));
  if (typeof value === "object" && value !== null) {
    const spoiled = Object.entries(value).map(([name, inner]) => [name, spoil(inner, name)] as const);
    const more = key === "labels" || key === "annotations" ? [[poison, poison]] : [];
    return Object.fromEntries([...spoiled, ...more]);
  }
  return typeof value === "string" && !structure.test(key) ? `${value}${poison}` : value;
}

/** Returns the injected markup that a page rendered: elements created from text, and links to other sites. */
export async function findRenderedMarkup(page: Page): Promise<string[]> {
  return page.evaluate(`[
    ...[...document.querySelectorAll("img[src='x'], body script, [onerror], [onmouseover]")].map((element) => element.outerHTML),
    ...[...document.links].filter((link) => link.origin !== location.origin).map((link) => link.outerHTML),
    ...(document.title.startsWith("owned") ? ["the title is owned"] : []),
  ]`);
}
