/** Style sheet of the reference page, with light and dark mode. */
export const style = `
:root {
  --text: #1b1f24; --quiet: #59636e; --back: #ffffff; --raised: #f5f7f9; --line: #d5dbe1; --link: #0757b5;
  --get: #0a5c7a; --post: #1c6b2d; --put: #7a4a00; --patch: #7a4a00; --delete: #a4162a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e8ec; --quiet: #9aa5b1; --back: #14181c; --raised: #1d2329; --line: #343c45; --link: #7db7ff;
    --get: #6cc7ea; --post: #7fd693; --put: #f0b861; --patch: #f0b861; --delete: #ff8b99;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.25rem; }
h4 { font-size: 1rem; margin: 1rem 0 0.25rem; }
p { margin: 0.25rem 0; }
ul { margin: 0.25rem 0; padding-left: 1.25rem; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.875rem; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: 0.6rem; overflow-x: auto; }
pre code { overflow-wrap: normal; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 0.9rem; padding: 0.6rem 0; margin: 0.5rem 0;
  border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: 4px; margin: 0.4rem 0; padding: 0 0.75rem; }
details[open] { padding-bottom: 0.75rem; }
summary { cursor: pointer; padding: 0.45rem 0; }
details:has(:target) { border-color: var(--link); }
[id] { scroll-margin-top: 3rem; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; font-size: 0.8rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.what { margin-left: 0.5rem; color: var(--quiet); }
.role { float: right; color: var(--quiet); font-size: 0.8rem; }
.quiet, .rules { color: var(--quiet); font-weight: 400; }
.rules { font-size: 0.875rem; }
.mark { font-size: 0.75rem; color: var(--delete); }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
td:first-child, th:first-child { width: 26%; }
td:nth-child(2), th:nth-child(2) { width: 20%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.5rem 0.35rem 0; border-top: 1px solid var(--line); }
th { border-top: 0; color: var(--quiet); font-size: 0.8rem; font-weight: 600; }
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: block; padding: 0.4rem 0; border-top: 1px solid var(--line); }
  td:nth-child(n) { display: block; width: auto; border: 0; padding: 0.1rem 0; }
  .what { display: block; margin: 0; }
  .role { float: none; }
}
`;
