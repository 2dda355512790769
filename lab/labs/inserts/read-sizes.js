/** @import { Db } from 'mongodb' */

/**
 * @typedef {object} Sizes
 * @property {number | null} dataMB of the documents, as the client sent them
 * @property {number | null} diskMB of the same on disk, compressed, without indexes
 */

const MB = 1024 * 1024;

/**
 * Has the server write a collection to its files, and reads its size.
 * @param {Db} db
 * @param {string} collection
 * @returns {Promise<Sizes>} nulls where the user may not have files written
 */
export async function readSizes(db, collection) {
  try {
    // Before a checkpoint the files have only part of it.
    await db.admin().command({ fsync: 1 });
    const { size, storageSize } = await db.command({ collStats: collection });
    return { dataMB: size / MB, diskMB: storageSize / MB };
  } catch {
    return { dataMB: null, diskMB: null };
  }
}
