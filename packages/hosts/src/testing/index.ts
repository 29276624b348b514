/** What test suites of hosts need before they start. */
export { buildTestImage } from "../images/testing/test-image.ts";
