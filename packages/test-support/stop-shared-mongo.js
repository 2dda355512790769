/** Runs once after all tests. */
// eslint-disable-next-line no-restricted-syntax
export default async function stopSharedMongo() {
  await Reflect.get(globalThis, 'mongo').stop();
}
