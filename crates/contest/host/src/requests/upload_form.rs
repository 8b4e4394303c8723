//! Files and folders that a form of a page sends.

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use quintain_web::Problem;

use super::access::{Host, MAX_FORM, body, body_length, refuse};
use super::uploads::Place;
use crate::archive::{Refused, Tree, TreeLimits};
use crate::state::Participant;

/// What a form of a page sent: a file, or the files of a folder.
#[derive(Default)]
pub(super) struct Upload {
    file: Option<(String, Bytes)>,
    folder: Vec<(String, Vec<u8>)>,
}

impl Upload {
    /// Returns the bytes of the file.
    pub(super) fn into_file(self) -> Option<Bytes> {
        self.file.map(|(_, bytes)| bytes)
    }

    /// Unpacks it.
    pub(super) fn into_tree(self, limits: TreeLimits) -> Result<Tree, Refused> {
        match self.file {
            Some((name, bytes)) => Tree::read(&name, &bytes, limits),
            None if self.folder.is_empty() => Err(Refused("the form has no file".to_owned())),
            None => Tree::of_files(self.folder, limits),
        }
    }
}

/// Reads the upload of a form, which has a place until it is dropped.
pub(super) async fn read_upload(
    host: &Host,
    who: &Participant,
    request: Request,
) -> Result<(Upload, Place), Problem> {
    let most = host.contest.config.limits.upload.0 as usize + MAX_FORM;
    let place = host.uploads.enter(who.id, body_length(request.headers(), most)).await?;
    let request = body(request, most).await?;
    let unreadable = |error: &dyn std::fmt::Display| refuse(format!("the form: {error}"));
    let read = Multipart::from_request(request, &()).await;
    let mut parts = read.map_err(|error| unreadable(&error))?;
    let mut upload = Upload::default();
    while let Some(part) = parts.next_field().await.map_err(|error| unreadable(&error))? {
        let (field, name) = (part.name().unwrap_or_default(), part.file_name().unwrap_or_default());
        let (field, name) = (field.to_owned(), name.to_owned());
        let bytes = part.bytes().await.map_err(|error| unreadable(&error))?;
        match field.as_str() {
            "file" => upload.file = Some((name, bytes)),
            // For a folder, a browser sends every file with its path.
            "folder" => upload.folder.push((name, bytes.to_vec())),
            _ => {}
        }
    }
    Ok((upload, place))
}
