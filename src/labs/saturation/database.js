/** The one database that the lab writes to. */
export const DATABASE = 'pool_lab';
