// @ts-nocheck The library is not a dependency of the project.
import express from 'express';
import mongoose from 'mongoose';
import { reportUsage } from './report-usage.mjs';

await mongoose.connect(process.env.MONGO_URL, { dbName: 'shop', maxPoolSize: 10 });
const User = mongoose.model('User', new mongoose.Schema({ _id: Number, name: String, email: String }), 'users');

const app = express();
app.get('/users/:id', async (req, res) => {
  res.json(await User.findById(req.params.id));
});
const server = app.listen(0, '127.0.0.1', () => reportUsage(server));
