// @ts-nocheck The libraries are not dependencies of the project.

/** @param {{ children: unknown }} props */
function Layout({ children }) {
  return (
    <html>
      <body>{children}</body>
    </html>
  );
}

export { Layout as default };
