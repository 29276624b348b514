import { expect, test } from "vitest";
import { renderNotice } from "./render-notice.ts";

test("M015 while the console is being built its page reloads; after a failed build it says where to find the reason", () => {
  expect(renderNotice("n", false)).toMatch(/http-equiv="refresh"[^]*<style nonce="n">[^]*is being built/);
  const broken = renderNotice("n", true);
  expect(broken).toMatch(/could not be built[^]*log contains the reason[^]*npm ci/);
  expect(broken).not.toMatch(/http-equiv="refresh"|<script|\/packages\//);
});
