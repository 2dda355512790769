import { find } from '../../find.js';

/** @param {{ found: string }} props */
function Order({ found }) {
  return found;
}

/** The pages router. */
export async function getServerSideProps() {
  return { props: { found: JSON.stringify(await find()) } };
}

export { Order as default };
