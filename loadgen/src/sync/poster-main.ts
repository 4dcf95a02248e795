/** The process that posts the events of `bench:sync`. */
import { servePosts } from './posting.ts';

servePosts();
